package io.github.lockstarter.transaction;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import java.util.concurrent.CompletableFuture;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Detects, before the commit, that a lock which was acquired inside the transaction is no longer held by anybody of
 * this instance.
 *
 * @param report may throw, which rolls the transaction back
 */
record EarlyRelease(CompletableFuture<LockHandle> acquired, Runnable report) implements TransactionSynchronization {

    static void watch(CompletableFuture<LockHandle> acquired, Runnable report) {
        TransactionSynchronizationManager.registerSynchronization(new EarlyRelease(acquired, report));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        boolean isGranted = acquired.isDone() && !acquired.isCompletedExceptionally();
        if (isGranted && isFree(acquired.getNow(null))) {
            report.run();
        }
    }

    /** Another entry, such as that of the transaction, may still hold the lock. */
    private static boolean isFree(LockHandle handle) {
        return handle.state() == HoldState.RELEASED
                && !handle.keys().stream().allMatch(key -> handle.heldBySource().snapshot().stream()
                        .anyMatch(held -> held.key().equals(key) && held.fencingToken() == handle.fencingToken(key)));
    }
}
