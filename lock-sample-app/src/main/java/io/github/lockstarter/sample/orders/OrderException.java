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

    /** The store refused the write of a holder whose lock has gone to somebody else meanwhile. */
    public static final class Overtaken extends OrderException {

        Overtaken(long orderId, long fencingToken) {
            super("Order " + orderId + " was not touched: fencing token " + fencingToken
                    + " is older than one the store has seen, so another request has the lock now");
        }
    }
}
