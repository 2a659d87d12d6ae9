package io.github.lockstarter.sample.sale;

/** A product cannot be offered or sold as asked; the caller has sold nothing. */
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

    /** The product is on sale already: by this call itself, when the connection was lost before the first answer. */
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

    /** The buyer has one; each gets one at most. */
    public static final class BoughtBefore extends SaleException {

        BoughtBefore(String product, String buyer) {
            super("'" + buyer + "' has bought '" + product + "' already, and each buyer gets one");
        }
    }

    /** The store refused the write of a holder whose lock has gone to somebody else meanwhile. */
    public static final class Overtaken extends SaleException {

        Overtaken(String product, long fencingToken) {
            super("'" + product + "' was not sold: fencing token " + fencingToken
                    + " is older than one the store has seen, so another request has the lock now");
        }
    }
}
