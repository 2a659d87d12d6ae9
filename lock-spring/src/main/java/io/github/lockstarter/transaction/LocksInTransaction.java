package io.github.lockstarter.transaction;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.Ownership;
import io.github.lockstarter.transaction.CallersTransaction.LockingCaller;
import io.github.lockstarter.transaction.CallersTransaction.ReleaseTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Locks for code, to which {@link InTransaction} applies. Thread-safe. */
public final class LocksInTransaction {

    private final LockSource locks;
    private final InTransaction configured;
    private final Function<LockRequest, LockTerms> completed;
    private final CallersTransaction transaction = new CallersTransaction();

    /**
     * Creates the locks.
     *
     * @param locks source of the locks
     * @param configured for requests without a behaviour of their own
     * @param completed all terms of a request, its own and configured ones
     */
    public LocksInTransaction(LockSource locks, InTransaction configured, Function<LockRequest, LockTerms> completed) {
        this.locks = locks;
        this.configured = configured;
        this.completed = completed;
    }

    /** {@return locks whose handles the caller may pass to the transaction: decides at the commit} */
    public LockSource handles() {
        return new AwareSource(true);
    }

    /** {@return locks that are released before the transaction ends: decides before the acquisition} */
    public LockSource sections() {
        return new AwareSource(false);
    }

    /** Warned of once per name of a lock and of a transaction, since keys are unlimited. */
    private LockingCaller caller(LockRequest request, Ownership ownership) {
        InTransaction own = request.inTransaction();
        return new LockingCaller(
                locks,
                request,
                own == InTransaction.AS_CONFIGURED ? configured : own,
                ownership == Ownership.THREAD,
                () -> request.name() + " in " + TransactionSynchronizationManager.getCurrentTransactionName(),
                () -> "LockOperations",
                () -> false,
                "Begin the transaction inside the lock, for example with a TransactionTemplate");
    }

    private final class AwareSource implements LockSource {

        private final boolean decidesAtCommit;

        private AwareSource(boolean decidesAtCommit) {
            this.decidesAtCommit = decidesAtCommit;
        }

        /** There is no commit to wait for without synchronization. */
        private ReleaseTime releaseTime(LockingCaller caller) {
            ReleaseTime release = transaction.releaseOf(caller);
            if (release != ReleaseTime.TOO_EARLY || (decidesAtCommit && CallersTransaction.isSynchronized())) {
                return release;
            }
            transaction.report(caller, "it was not acquired");
            return ReleaseTime.ANY_TIME;
        }

        @Override
        public LockHandle acquire(LockRequest request) {
            LockingCaller caller = caller(request, request.ownership());
            ReleaseTime release = releaseTime(caller);
            return entered(release, caller).orElseGet(() -> granted(locks.acquire(request), release, caller));
        }

        @Override
        public Optional<LockHandle> tryAcquire(LockRequest request) {
            LockingCaller caller = caller(request, request.ownership());
            ReleaseTime release = releaseTime(caller);
            return entered(release, caller)
                    .or(() -> locks.tryAcquire(request).map(handle -> granted(handle, release, caller)));
        }

        /** The engine lets only a thread re-enter its locks. */
        private Optional<LockHandle> entered(ReleaseTime release, LockingCaller caller) {
            LockRequest request = caller.request();
            if (release != ReleaseTime.KEPT || request.ticket().isPresent()) {
                return Optional.empty();
            }
            Optional<LockHandle> entry = TransactionLocks.reenter(locks, request);
            return isKeptIfCommitted(request)
                    ? entry.map(handle -> granted(handle, ReleaseTime.AFTER_COMPLETION, caller))
                    : entry;
        }

        /** After the commit, the work of a listener has a success of its own. */
        private boolean isKeptIfCommitted(LockRequest request) {
            LockTerms terms = completed.apply(request);
            return terms.minHoldIf() == MinHoldIf.SUCCESS
                    && terms.minHold().filter(minimum -> !minimum.isZero()).isPresent()
                    && CallersTransaction.isSynchronized()
                    && !CommitGuard.isCommitted();
        }

        private LockHandle granted(LockHandle handle, ReleaseTime release, LockingCaller caller) {
            if (release == ReleaseTime.TOO_EARLY) {
                watch(CompletableFuture.completedFuture(handle), caller);
            }
            if (release != ReleaseTime.AFTER_COMPLETION) {
                return handle;
            }
            TransactionLocks.releaseAfterCompletion(handle);
            return handle.reenter(caller.request().minHold(Duration.ZERO)).orElseThrow(); // the commit is the success
        }

        /** A transaction that keeps the lock would let the next work of the same key run at the same time. */
        @Override
        public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
            LockingCaller caller = caller(request, Ownership.HANDLE);
            ReleaseTime release = releaseTime(caller);
            CompletableFuture<LockHandle> acquiring = locks.acquireAsync(request);
            if (release == ReleaseTime.TOO_EARLY) {
                watch(acquiring, caller);
            }
            return acquiring;
        }

        /** Only REFUSE may end a transaction. */
        private void watch(CompletableFuture<LockHandle> acquired, LockingCaller caller) {
            boolean refused = caller.behaviour() == InTransaction.REFUSE;
            EarlyRelease.watch(acquired, refused, () -> transaction.report(caller, "that transaction is rolled back"));
        }

        @Override
        public HeldLocks heldLocks() {
            return locks.heldLocks();
        }
    }

    /**
     * Detects, before the commit, that a lock which was acquired inside the transaction is no longer held by anybody of
     * this instance.
     *
     * @param isLossRefused whether a lock that is lost or in doubt rolls the transaction back, unless it has {@link
     *     OnLost#RETURN}
     * @param report runs after a release; may throw, which rolls the transaction back
     */
    private record EarlyRelease(CompletableFuture<LockHandle> acquired, boolean isLossRefused, Runnable report)
            implements TransactionSynchronization {

        /** Here, because only this class needs spring-tx to link. */
        static void watch(CompletableFuture<LockHandle> acquired, boolean isLossRefused, Runnable report) {
            TransactionSynchronizationManager.registerSynchronization(
                    new EarlyRelease(acquired, isLossRefused, report));
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
                    if (isLossRefused && handle.onLost() != OnLost.RETURN) {
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
                            && held.slot() == released.slot(key)
                            && !held.remainingLease().isZero()
                            && held.fencingToken() == released.fencingToken(key));
        }
    }
}
