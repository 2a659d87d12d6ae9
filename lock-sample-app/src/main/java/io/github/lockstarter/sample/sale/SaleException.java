package io.github.lockstarter.sample.sale;

/** The product cannot be offered or sold. Nothing was sold. */
public sealed class SaleException extends RuntimeException {

    SaleException(String message) {
        super(message);
    }

    /** The product is not on sale. */
    public static final class NotOnSale extends SaleException {

        NotOnSale(String product) {
            super("'" + product + "' is not on sale");
        }
    }

    /** The product is already on sale, possibly by this call if its first reply was lost. */
    public static final class AlreadyOnSale extends SaleException {

        AlreadyOnSale(String product) {
            super("'" + product + "' is on sale already");
        }
    }

    /** None is left. */
    public static final class SoldOut extends SaleException {

        SoldOut(String product) {
            super("'" + product + "' is sold out");
        }
    }

    /** The buyer already has one; the limit is one per buyer. */
    public static final class BoughtBefore extends SaleException {

        BoughtBefore(String product, String buyer) {
            super("'" + buyer + "' has bought '" + product + "' already, and each buyer gets one");
        }
    }

    /** A later holder of the lock has opened the sale, so the store rejected the write. */
    public static final class Overtaken extends SaleException {

        Overtaken(String product, long fencingToken) {
            super("'" + product + "' was not sold: fencing token " + fencingToken
                    + " is older than one the store has seen, so another request has the lock now");
        }
    }
}
