package io.github.lockstarter.sample.orders;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import java.util.List;
import org.springframework.stereotype.Service;

/** Places orders and ships each of them once, regardless of the number of instances. */
@Service
public class OrderService {

    private static final String LOCK = "OrderService.ship";

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
    @DistributedLock(name = LOCK, key = "#orderId", leaseMs = 30000)
    public Order ship(long orderId) {
        Order order = open(orderId);
        return ship(order, carrier.book(order));
    }

    /**
     * Ships several orders in one parcel, or none of them if one is locked, does not exist or has been shipped. Calls
     * with some of the same orders, in any order, run one at a time, and so do single shipments of these orders.
     *
     * @throws OrderException as {@link #ship}
     */
    @DistributedLock(name = LOCK, key = "#orderIds", leaseMs = 30000)
    public List<Order> shipTogether(List<Long> orderIds) {
        List<Order> opened = orderIds.stream().distinct().map(this::open).toList();
        String trackingNumber = carrier.book(opened.get(0));
        return opened.stream().map(order -> ship(order, trackingNumber)).toList();
    }

    private Order open(long orderId) {
        Order order = orders.open(orderId);
        order.shipment().ifPresent(shipment -> {
            throw new OrderException.AlreadyShipped(orderId, shipment);
        });
        return order;
    }

    private Order ship(Order order, String trackingNumber) {
        LockHandle lock = LockHandle.current().orElseThrow();
        Shipment shipment = new Shipment(trackingNumber, lock.fencingToken(LOCK + ':' + order.orderId()));
        orders.ship(order.orderId(), shipment);
        return order.shippedWith(shipment);
    }
}
