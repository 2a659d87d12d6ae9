package io.github.lockstarter.transaction;

import io.github.lockstarter.LockHandle;
import java.util.concurrent.CompletableFuture;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Detects, before the commit, that a lock which was acquired inside the transaction is no longer held by anybody of
 * this instance.
 *
 * @param isLossRefused whether a lock that is lost or in doubt rolls the transaction back
 * @param report runs after a release; may throw, which rolls the transaction back
 */
record EarlyRelease(CompletableFuture<LockHandle> acquired, boolean isLossRefused, Runnable report)
        implements TransactionSynchronization {

    /** Here, because only this class needs spring-tx to link. */
    static void watch(CompletableFuture<LockHandle> acquired, boolean isLossRefused, Runnable report) {
        TransactionSynchronizationManager.registerSynchronization(new EarlyRelease(acquired, isLossRefused, report));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (!acquired.isDone() || acquired.isCompletedExceptionally()) {
            return;
        }
        LockHandle handle = acquired.getNow(null);
        switch (handle.state()) {
            case HELD -> {}
            case IN_DOUBT, LOST -> {
                if (isLossRefused) {
                    handle.ensureHeld();
                }
            }
            case RELEASED -> {
                if (!handle.keys().stream().allMatch(key -> hasOtherEntry(handle, key))) {
                    report.run();
                }
            }
        }
    }

    /** Such as that of the transaction. A hold whose release is under way has no remaining lease. */
    private static boolean hasOtherEntry(LockHandle released, String key) {
        return released.heldBySource().snapshot().stream()
                .anyMatch(held -> held.key().equals(key)
                        && held.slot() == released.slot()
                        && !held.remainingLease().isZero()
                        && held.fencingToken() == released.fencingToken(key));
    }
}
