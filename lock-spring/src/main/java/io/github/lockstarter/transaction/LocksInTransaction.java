package io.github.lockstarter.transaction;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.transaction.CallersTransaction.Release;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Locks for code, to which {@link InTransaction} applies. Thread-safe. */
public final class LocksInTransaction {

    private final LockSource locks;
    private final InTransaction configured;
    private final CallersTransaction transaction = new CallersTransaction();

    /**
     * Creates the locks.
     *
     * @param locks source of the locks
     * @param configured for requests without a behaviour of their own
     */
    public LocksInTransaction(LockSource locks, InTransaction configured) {
        this.locks = locks;
        this.configured = configured;
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

    private Release reported(Code code) {
        transaction.report(code.behaviour, code, code.refusal());
        return Release.ANY_TIME;
    }

    /** Warned of once per name of a lock, since keys are unlimited. */
    private record Code(LockRequest request, InTransaction behaviour) implements CallersTransaction.Caller {

        @Override
        public Object id() {
            return request.name();
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
    }

    private final class AwareSource implements LockSource {

        private final Function<Code, Release> decision;

        private AwareSource(Function<Code, Release> decision) {
            this.decision = decision;
        }

        private Code code(LockRequest request) {
            InTransaction own = request.inTransaction();
            return new Code(request, own == InTransaction.AS_CONFIGURED ? configured : own);
        }

        @Override
        public LockHandle acquire(LockRequest request) {
            Code code = code(request);
            Release release = decision.apply(code);
            return entered(release, request).orElseGet(() -> granted(locks.acquire(request), release, code));
        }

        @Override
        public Optional<LockHandle> tryAcquire(LockRequest request) {
            Code code = code(request);
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

        @Override
        public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
            Code code = code(request);
            Release release = decision.apply(code);
            return entered(release, request)
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(() -> granted(locks.acquireAsync(request), release, code));
        }

        private CompletableFuture<LockHandle> granted(
                CompletableFuture<LockHandle> acquiring, Release release, Code code) {
            if (release == Release.TOO_EARLY) {
                watch(acquiring, code);
            }
            return release == Release.AFTER_COMPLETION
                    ? kept(acquiring, CompletionRelease.ofThisTransaction(), code.request)
                    : acquiring;
        }

        private void watch(CompletableFuture<LockHandle> acquiring, Code code) {
            EarlyRelease.watch(
                    acquiring, () -> transaction.report(code.behaviour, code, "that transaction is rolled back"));
        }

        /** Cancelling the result gives up the wait. */
        private static CompletableFuture<LockHandle> kept(
                CompletableFuture<LockHandle> acquiring, CompletionRelease release, LockRequest request) {
            CompletableFuture<LockHandle> result = new CompletableFuture<>();
            acquiring.whenComplete((handle, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(failure);
                    return;
                }
                try {
                    LockHandle entry = handle.reenter(request).orElseThrow(); // before add(), which may release
                    release.add(handle);
                    if (!result.complete(entry)) {
                        entry.closeAsync();
                    }
                } catch (RuntimeException | Error e) {
                    handle.closeAsync();
                    result.completeExceptionally(e);
                }
            });
            result.whenComplete((entry, failure) -> acquiring.cancel(false));
            return result;
        }

        @Override
        public HeldLocks heldLocks() {
            return locks.heldLocks();
        }
    }
}
