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
     * Books a shipment. A real carrier would be given the order's number as its idempotency key: no lock can take back
     * a call that has left the house.
     *
     * @return the tracking number
     */
    String book(Order order) {
        SimulatedWork.lasting(properties.carrierTime());
        return "PARCEL-" + order.orderId();
    }
}
