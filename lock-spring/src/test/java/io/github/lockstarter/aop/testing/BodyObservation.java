package io.github.lockstarter.aop.testing;

import io.github.lockstarter.LockHandle;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What the body of a generated method sees of the advices around it.
 *
 * @param runs how often the body has run
 */
public record BodyObservation(int runs, boolean isTransactional, boolean isLocked) {

    private static BodyObservation last = new BodyObservation(0, false, false);

    /** Called by the generated body. */
    public static void note() {
        last = new BodyObservation(
                last.runs + 1,
                TransactionSynchronizationManager.isActualTransactionActive(),
                LockHandle.current()
                        .map(LockHandle::key)
                        .filter("cell:x"::equals)
                        .isPresent());
    }

    static BodyObservation last() {
        return last;
    }
}
