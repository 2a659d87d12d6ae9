package io.github.lockstarter.sample.orders;

import io.github.lockstarter.sample.SimulatedWork;
import org.springframework.stereotype.Component;

/** A slow, simulated carrier. */
@Component
class Carrier {

    private final OrderProperties properties;

    Carrier(OrderProperties properties) {
        this.properties = properties;
    }

    /**
     * Books a shipment. Pass the order number as an idempotency key to a real carrier: a lock cannot undo a request
     * that has already been sent.
     *
     * @return the tracking number
     */
    String book(Order order) {
        SimulatedWork.lasting(properties.carrierTime());
        return "PARCEL-" + order.orderId();
    }
}
