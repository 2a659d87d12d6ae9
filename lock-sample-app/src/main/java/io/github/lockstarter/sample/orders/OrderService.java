package io.github.lockstarter.sample.orders;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import org.springframework.stereotype.Service;

/** Takes orders and ships each of them once, however many instances are asked to. */
@Service
public class OrderService {

    private final OrderStore orders;
    private final Carrier carrier;

    OrderService(OrderStore orders, Carrier carrier) {
        this.orders = orders;
        this.carrier = carrier;
    }

    /**
     * Takes an order. Needs no lock: the store gives out each number once.
     *
     * @param order what is ordered
     * @return the order with its number
     */
    public Order place(NewOrder order) {
        return orders.add(order);
    }

    /**
     * Reads an order. Needs no lock either.
     *
     * @param orderId its number
     * @return the order
     * @throws OrderException.NotFound when there is none
     */
    public Order find(long orderId) {
        return orders.find(orderId).orElseThrow(() -> new OrderException.NotFound(orderId));
    }

    /**
     * Ships an order. One call per order runs at a time; how long another one waits is set in {@code application.yml}.
     *
     * @param orderId its number
     * @return the shipped order
     * @throws OrderException when there is none, or it has left already
     * @throws io.github.lockstarter.OvertakenException when a later holder has overtaken this one; nothing is written
     */
    @DistributedLock(key = "#orderId", leaseMs = 30000)
    public Order ship(long orderId) {
        LockHandle lock = LockHandle.current().orElseThrow();
        Order order = orders.open(orderId);
        order.shipment().ifPresent(shipment -> {
            throw new OrderException.AlreadyShipped(orderId, shipment);
        });
        Shipment shipment = new Shipment(carrier.book(order), lock.fencingToken());
        orders.ship(orderId, shipment);
        return order.shippedWith(shipment);
    }
}
