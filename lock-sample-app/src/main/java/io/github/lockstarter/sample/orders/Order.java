package io.github.lockstarter.sample.orders;

import java.util.Optional;

/**
 * An order as stored.
 *
 * @param orderId its number, from 1
 * @param item what is ordered
 * @param quantity how many
 * @param shipment how it left; empty while it has not
 */
public record Order(long orderId, String item, int quantity, Optional<Shipment> shipment) {

    Order shippedWith(Shipment shipment) {
        return new Order(orderId, item, quantity, Optional.of(shipment));
    }
}
