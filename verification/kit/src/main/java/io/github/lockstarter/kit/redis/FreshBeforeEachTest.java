package io.github.lockstarter.kit.redis;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * Resets servers once before each test, before the fields of its class are initialized: an application in such a field
 * connects at once, and a later reset would delete its data.
 */
abstract class FreshBeforeEachTest implements TestInstancePreConstructCallback, AfterEachCallback {

    /** Nested classes have an instance of each enclosing class. */
    private boolean fresh;

    abstract void reset(ExtensionContext context);

    @Override
    public final void preConstructTestInstance(TestInstanceFactoryContext instance, ExtensionContext context) {
        if (!fresh) {
            reset(context);
            fresh = true;
        }
    }

    @Override
    public final void afterEach(ExtensionContext context) {
        fresh = false;
    }
}
