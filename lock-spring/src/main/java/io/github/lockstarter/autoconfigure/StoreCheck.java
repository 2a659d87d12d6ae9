package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.aop.LockStartException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks a store when the context starts. A failure ends startup, or is a warning if the store is not required. */
public class StoreCheck extends StoreLifecycle {

    private static final Logger log = LoggerFactory.getLogger(StoreCheck.class);

    private final String store;
    private final boolean required;
    private final Runnable check;

    /**
     * Creates the check.
     *
     * @param store name of the {@link LockBackendOption}
     * @param required property {@code required-at-start}
     * @param check throws a {@link LockStartException}, whose action has no full stop, if the store is unavailable; any
     *     other exception ends startup even if the store is not required
     */
    public StoreCheck(String store, boolean required, Runnable check) {
        this.store = store;
        this.required = required;
        this.check = check;
    }

    @Override
    protected final void onStart() {
        try {
            check.run();
        } catch (LockStartException e) {
            String message = String.valueOf(e.getMessage());
            if (required) {
                String orStartAnyway = ". To start anyway and connect later, set distributed-lock." + store
                        + ".required-at-start=false";
                throw new LockStartException(message, e.action() + orStartAnyway, e);
            }
            log.warn("{}. {}. Locked methods fail until then", message, e.action());
        }
    }
}
