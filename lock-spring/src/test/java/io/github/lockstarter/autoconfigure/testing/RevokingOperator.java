package io.github.lockstarter.autoconfigure.testing;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin;
import org.springframework.context.ApplicationContext;

/** An operator who takes away the lock of an application: a loss that no test has to wait for. */
public final class RevokingOperator {

    private RevokingOperator() {}

    /** Returns when the application knows that it has lost the lock. */
    public static void revoke(ApplicationContext context, String key) {
        HeldLocks held = LockRunner.held(context);
        long fencingToken = held.find(key).orElseThrow().fencingToken();
        context.getBean(LockAdmin.class).revoke(key, fencingToken).join();
        await().until(() -> held.find(key).isEmpty());
    }
}
