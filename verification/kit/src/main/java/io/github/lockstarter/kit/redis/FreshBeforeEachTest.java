package io.github.lockstarter.kit.redis;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * Resets servers once for each test, before the fields of its class are initialised: an application that is such a
 * field connects at once, and would meet servers that forget everything a moment later.
 */
abstract class FreshBeforeEachTest implements TestInstancePreConstructCallback, AfterEachCallback {

    /** An instance of a nested class is built behind one of each class around it. */
    private boolean isFresh;

    /** Brings the servers back to those of a new start. */
    abstract void reset(ExtensionContext context);

    @Override
    public final void preConstructTestInstance(TestInstanceFactoryContext instance, ExtensionContext context) {
        if (!isFresh) {
            reset(context);
            isFresh = true;
        }
    }

    @Override
    public final void afterEach(ExtensionContext context) {
        isFresh = false;
    }
}
