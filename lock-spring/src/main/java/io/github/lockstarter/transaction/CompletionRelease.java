package io.github.lockstarter.transaction;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Releases the locks of one transaction after its completion, the latest first. Bound to the transaction's thread
 * except while the transaction is suspended.
 *
 * <p>The transaction's thread adds locks; the completing thread, which may differ with JTA, releases them. {@link
 * #completed} is set before the locks are taken out of {@link #handles} and read after adding one, so one of the two
 * threads releases each lock.
 */
final class CompletionRelease implements TransactionSynchronization {

    private static final Logger log = LoggerFactory.getLogger(CompletionRelease.class);

    private final Deque<LockHandle> handles = new ConcurrentLinkedDeque<>();
    private volatile boolean committed;
    private volatile boolean completed;
    private volatile boolean releasedLater;

    private CompletionRelease() {}

    static Optional<CompletionRelease> current() {
        return TransactionSynchronizationManager.getResource(CompletionRelease.class) instanceof CompletionRelease bound
                        && bound.isOfThisTransaction()
                ? Optional.of(bound)
                : Optional.empty();
    }

    /**
     * False for a leftover of a JTA transaction that another thread completed or continued. No synchronization is
     * active while listeners run after the completion.
     */
    private boolean isOfThisTransaction() {
        return !completed
                && (!TransactionSynchronizationManager.isSynchronizationActive()
                        || TransactionSynchronizationManager.getSynchronizations()
                                .contains(this));
    }

    /** @throws IllegalStateException if no synchronization is active */
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
        if (completed) {
            releaseAll();
        }
    }

    boolean contains(HeldLocks heldBySource, Collection<String> keys) {
        return keys.stream().allMatch(key -> latest(heldBySource, List.of(key))
                .filter(CompletionRelease::isHeld)
                .isPresent());
    }

    Optional<LockHandle> reenter(HeldLocks heldBySource, LockRequest request) {
        return latest(heldBySource, request.keys()).flatMap(handle -> handle.reenter(request));
    }

    /** Asks the store about a lock in doubt. */
    private static boolean isHeld(LockHandle handle) {
        if (handle.state() == HoldState.IN_DOUBT) {
            handle.ensureHeld();
        }
        return handle.isHeld();
    }

    /** The same key from another source is another lock. */
    private Optional<LockHandle> latest(HeldLocks heldBySource, List<String> keys) {
        return handles.stream()
                .filter(handle ->
                        handle.heldBySource() == heldBySource && handle.keys().containsAll(keys))
                .findFirst();
    }

    void ensureHeld() {
        handles.stream().filter(handle -> handle.onLost() != OnLost.RETURN).forEach(LockHandle::ensureHeld);
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
     * Registers the release last, because listeners after the commit may lock the same keys: synchronizations of equal
     * order run in the order of their registration.
     */
    @Override
    public void beforeCompletion() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    complete(status);
                }
            });
            releasedLater = true;
        }
    }

    /** {@link #beforeCompletion} was not called if a listener after the commit created this. */
    @Override
    public void afterCompletion(int status) {
        if (!releasedLater) {
            complete(status);
        }
    }

    private void complete(int status) {
        committed = status == STATUS_COMMITTED;
        completed = true;
        unbind();
        releaseAll();
    }

    private void releaseAll() {
        for (LockHandle next = handles.pollFirst(); next != null; next = handles.pollFirst()) {
            try {
                if (committed) {
                    next.recordSuccess();
                }
                next.release();
            } catch (RuntimeException | Error e) { // releases the other locks anyway
                log.warn("{} could not be released at the end of its transaction", next, e);
            }
        }
    }

    private void bind() {
        TransactionSynchronizationManager.unbindResourceIfPossible(CompletionRelease.class); // a leftover
        TransactionSynchronizationManager.bindResource(CompletionRelease.class, this);
    }

    /** Another thread than the transaction's may have a transaction of its own. */
    private void unbind() {
        if (TransactionSynchronizationManager.getResource(CompletionRelease.class) == this) {
            TransactionSynchronizationManager.unbindResource(CompletionRelease.class);
        }
    }
}
