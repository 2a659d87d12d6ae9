package io.github.lockstarter.sample.orders;

/** The order cannot be processed. */
public sealed class OrderException extends RuntimeException {

    OrderException(String message) {
        super(message);
    }

    public static final class NotFound extends OrderException {

        NotFound(long orderId) {
            super("There is no order " + orderId);
        }
    }

    /** The order has already been shipped; nothing was done. */
    public static final class AlreadyShipped extends OrderException {

        AlreadyShipped(long orderId, Shipment shipment) {
            super("Order " + orderId + " has been shipped already, as " + shipment.trackingNumber());
        }
    }
}
