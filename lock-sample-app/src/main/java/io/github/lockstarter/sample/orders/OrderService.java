package io.github.lockstarter.sample.orders;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import org.springframework.stereotype.Service;

/** Places orders and ships each of them once, regardless of the number of instances. */
@Service
public class OrderService {

    private final OrderStore orders;
    private final Carrier carrier;

    OrderService(OrderStore orders, Carrier carrier) {
        this.orders = orders;
        this.carrier = carrier;
    }

    /** Places an order. Needs no lock: {@code INCR} assigns each number once. */
    public Order place(NewOrder order) {
        return orders.add(order);
    }

    /**
     * Reads an order without a lock.
     *
     * @throws OrderException.NotFound if the order does not exist
     */
    public Order find(long orderId) {
        return orders.find(orderId).orElseThrow(() -> new OrderException.NotFound(orderId));
    }

    /**
     * Ships an order. Calls for the same order run one at a time; {@code application.yml} sets how long they wait.
     *
     * @throws OrderException if the order does not exist or has already been shipped
     * @throws io.github.lockstarter.fence.OvertakenException if a later holder has opened the order; nothing is written
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
