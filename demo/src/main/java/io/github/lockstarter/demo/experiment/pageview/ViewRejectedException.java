package io.github.lockstarter.demo.experiment.pageview;

/** The store rejected the write of a holder that has been overtaken. Nothing was counted. */
final class ViewRejectedException extends RuntimeException {

    ViewRejectedException(String page, long fencingToken) {
        super("The view of page '" + page + "' was not counted: fencing token " + fencingToken
                + " is older than one the store has seen, so another request has the lock now. Repeat the request");
    }
}
