package io.github.lockstarter.sample.orders;

import java.util.Optional;

/**
 * A stored order.
 *
 * @param orderId starts at 1
 * @param shipment empty until the order is shipped
 */
public record Order(long orderId, String item, int quantity, Optional<Shipment> shipment) {

    Order shippedWith(Shipment shipment) {
        return new Order(orderId, item, quantity, Optional.of(shipment));
    }
}
