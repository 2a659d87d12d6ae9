package io.github.lockstarter.transaction;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import java.util.Collection;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Releases the locks of one transaction when it has completed, whatever its outcome, the latest first. Bound to the
 * thread of the transaction: while it is suspended, the thread has that of the next one.
 *
 * <p>The thread of the transaction adds locks. The thread that completes the transaction releases them, which may be
 * another one with JTA. {@link #isCompleted} turns true before the locks are taken out of {@link #handles}, and is read
 * after one was put in, so that one of the two threads releases it. {@link #isFollowed} is set by the thread that
 * completes the transaction.
 */
final class CompletionRelease implements TransactionSynchronization {

    private static final Logger log = LoggerFactory.getLogger(CompletionRelease.class);

    private final Deque<LockHandle> handles = new ConcurrentLinkedDeque<>();
    private volatile boolean isCompleted;
    private volatile boolean isFollowed;

    private CompletionRelease() {}

    /** That of the transaction of this thread, if it keeps a lock. */
    static Optional<CompletionRelease> current() {
        return TransactionSynchronizationManager.getResource(CompletionRelease.class) instanceof CompletionRelease bound
                        && bound.isOfThisTransaction()
                ? Optional.of(bound)
                : Optional.empty();
    }

    /**
     * False for what a transaction of JTA has left on this thread that another thread completed, or that goes on
     * without it. While listeners after the completion run, no synchronization is active.
     */
    private boolean isOfThisTransaction() {
        return !isCompleted
                && (!TransactionSynchronizationManager.isSynchronizationActive()
                        || TransactionSynchronizationManager.getSynchronizations()
                                .contains(this));
    }

    /**
     * That of the transaction of this thread.
     *
     * @throws IllegalStateException when no synchronization is active
     */
    static CompletionRelease ofThisTransaction() {
        return current().orElseGet(() -> {
            CompletionRelease release = new CompletionRelease();
            TransactionSynchronizationManager.registerSynchronization(release);
            release.bind();
            return release;
        });
    }

    void add(LockHandle handle) {
        handles.addFirst(handle);
        if (isCompleted) {
            releaseAll();
        }
    }

    boolean contains(HeldLocks heldBySource, Collection<String> keys) {
        return keys.stream().allMatch(key -> latest(heldBySource, key)
                .filter(CompletionRelease::isHeld)
                .isPresent());
    }

    /** Asks the store about a lock in doubt. */
    private static boolean isHeld(LockHandle handle) {
        if (handle.state() == HoldState.IN_DOUBT) {
            handle.ensureHeld();
        }
        return handle.isHeld();
    }

    /** The same key in another store is another lock. */
    private Optional<LockHandle> latest(HeldLocks heldBySource, String key) {
        return handles.stream()
                .filter(handle ->
                        handle.heldBySource() == heldBySource && handle.keys().contains(key))
                .findFirst();
    }

    void ensureHeld() {
        handles.forEach(LockHandle::ensureHeld);
    }

    @Override
    public void suspend() {
        unbind();
    }

    @Override
    public void resume() {
        bind();
    }

    /**
     * Has the locks released behind all that the application does at the end of the transaction, such as in listeners
     * after the commit, which may lock the same keys: of one order, those that registered first come first.
     */
    @Override
    public void beforeCompletion() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    complete();
                }
            });
            isFollowed = true;
        }
    }

    /** Without a call before the completion if it was created after that, such as by a listener after the commit. */
    @Override
    public void afterCompletion(int status) {
        if (!isFollowed) {
            complete();
        }
    }

    private void complete() {
        isCompleted = true;
        unbind();
        releaseAll();
    }

    private void releaseAll() {
        for (LockHandle next = handles.pollFirst(); next != null; next = handles.pollFirst()) {
            try {
                next.release();
            } catch (RuntimeException | Error e) { // the others are released all the same
                log.warn("{} could not be released at the end of its transaction", next, e);
            }
        }
    }

    private void bind() {
        TransactionSynchronizationManager.unbindResourceIfPossible(CompletionRelease.class); // of another transaction
        TransactionSynchronizationManager.bindResource(CompletionRelease.class, this);
    }

    /** Without effect on another thread than that of the transaction, which may have a transaction of its own. */
    private void unbind() {
        if (TransactionSynchronizationManager.getResource(CompletionRelease.class) == this) {
            TransactionSynchronizationManager.unbindResource(CompletionRelease.class);
        }
    }
}
