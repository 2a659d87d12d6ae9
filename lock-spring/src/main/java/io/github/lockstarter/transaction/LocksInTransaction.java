package io.github.lockstarter.transaction;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.Ownership;
import io.github.lockstarter.transaction.CallersTransaction.Release;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Locks for code, to which {@link InTransaction} applies. Thread-safe. */
public final class LocksInTransaction {

    private final LockSource locks;
    private final InTransaction configured;
    private final OnLost onLost;
    private final CallersTransaction transaction = new CallersTransaction();

    /**
     * Creates the locks.
     *
     * @param locks source of the locks
     * @param configured for requests without a behaviour of their own
     * @param onLost whether the loss of a handle prevents a commit that {@code REFUSE} decides
     */
    public LocksInTransaction(LockSource locks, InTransaction configured, OnLost onLost) {
        this.locks = locks;
        this.configured = configured;
        this.onLost = onLost;
    }

    /** {@return locks whose handles the caller may pass to the transaction: decides at the commit} */
    public LockSource handles() {
        return new AwareSource(code -> {
            Release release = transaction.releaseOf(locks, code.request, code.behaviour, code);
            boolean isCommitUnknown = release == Release.TOO_EARLY && !CallersTransaction.isSynchronized();
            return isCommitUnknown ? reported(code) : release;
        });
    }

    /** {@return locks that are released before the transaction ends: decides before the acquisition} */
    public LockSource sections() {
        return new AwareSource(code -> {
            Release release = transaction.releaseOf(locks, code.request, code.behaviour, code);
            return release == Release.TOO_EARLY ? reported(code) : release;
        });
    }

    /** Only REFUSE may end a transaction. */
    private void checkNotLost(LockHandle handle, Code code) {
        if (code.behaviour == InTransaction.REFUSE && onLost == OnLost.THROW) {
            handle.ensureHeld();
        }
    }

    private Release reported(Code code) {
        transaction.report(code.behaviour, code, code.refusal());
        return Release.ANY_TIME;
    }

    /** Warned of once per name of a lock and of a transaction, since keys are unlimited. */
    private record Code(LockRequest request, InTransaction behaviour, Ownership ownership)
            implements CallersTransaction.Caller {

        @Override
        public Object id() {
            return request.name() + " in " + TransactionSynchronizationManager.getCurrentTransactionName();
        }

        @Override
        public String description() {
            return "LockOperations";
        }

        @Override
        public String lock() {
            return "lock '" + LockRequest.printable(String.join(", ", request.keys())) + "'";
        }

        @Override
        public String refusal() {
            return "it was not acquired";
        }

        @Override
        public String cure() {
            return "Begin the transaction inside the lock, for example with a TransactionTemplate";
        }

        @Override
        public boolean hasOwnTransaction() {
            return false;
        }

        @Override
        public boolean isThreadOwner() {
            return ownership == Ownership.THREAD;
        }
    }

    private final class AwareSource implements LockSource {

        private final Function<Code, Release> decision;

        private AwareSource(Function<Code, Release> decision) {
            this.decision = decision;
        }

        private Code code(LockRequest request, Ownership ownership) {
            InTransaction own = request.inTransaction();
            return new Code(request, own == InTransaction.AS_CONFIGURED ? configured : own, ownership);
        }

        @Override
        public LockHandle acquire(LockRequest request) {
            Code code = code(request, request.ownership());
            Release release = decision.apply(code);
            return entered(release, request).orElseGet(() -> granted(locks.acquire(request), release, code));
        }

        @Override
        public Optional<LockHandle> tryAcquire(LockRequest request) {
            Code code = code(request, request.ownership());
            Release release = decision.apply(code);
            return entered(release, request)
                    .or(() -> locks.tryAcquire(request).map(handle -> granted(handle, release, code)));
        }

        /** The engine lets only a thread re-enter its locks. */
        private Optional<LockHandle> entered(Release release, LockRequest request) {
            return release == Release.KEPT ? TransactionLocks.reenter(locks, request) : Optional.empty();
        }

        private LockHandle granted(LockHandle handle, Release release, Code code) {
            if (release == Release.TOO_EARLY) {
                watch(CompletableFuture.completedFuture(handle), code);
            }
            if (release != Release.AFTER_COMPLETION) {
                return handle;
            }
            TransactionLocks.releaseAfterCompletion(handle);
            return handle.reenter(code.request).orElseThrow();
        }

        /** A transaction that keeps the lock would let the next work of the same key run at the same time. */
        @Override
        public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
            Code code = code(request, Ownership.HANDLE);
            Release release = decision.apply(code);
            CompletableFuture<LockHandle> acquiring = locks.acquireAsync(request);
            if (release == Release.TOO_EARLY) {
                watch(acquiring, code);
            }
            return acquiring;
        }

        private void watch(CompletableFuture<LockHandle> acquired, Code code) {
            EarlyRelease.watch(
                    acquired,
                    handle -> checkNotLost(handle, code),
                    () -> transaction.report(code.behaviour, code, "that transaction is rolled back"));
        }

        @Override
        public HeldLocks heldLocks() {
            return locks.heldLocks();
        }
    }
}
