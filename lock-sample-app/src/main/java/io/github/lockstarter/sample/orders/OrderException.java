package io.github.lockstarter.sample.orders;

/** An order cannot be worked on as asked. */
public sealed class OrderException extends RuntimeException {

    OrderException(String message) {
        super(message);
    }

    /** There is no such order. */
    public static final class NotFound extends OrderException {

        NotFound(long orderId) {
            super("There is no order " + orderId);
        }
    }

    /** The order left already; nothing was done. */
    public static final class AlreadyShipped extends OrderException {

        AlreadyShipped(long orderId, Shipment shipment) {
            super("Order " + orderId + " has been shipped already, as " + shipment.trackingNumber());
        }
    }
}
