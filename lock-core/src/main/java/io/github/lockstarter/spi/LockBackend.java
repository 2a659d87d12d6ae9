package io.github.lockstarter.spi;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockAdmin.StoredLock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/**
 * A store of locks. Each kind of store has one implementation, which has to pass the contract test suite. The backend
 * puts the configured key prefix before all that it stores.
 *
 * <p>Every method returns at once; the stages complete on any thread, within the backend's own command timeout, and
 * always normally: a failure is a result. The results distinguish yes, no, and unknown. Every command is idempotent per
 * {@link LockToken}, since a client may send it twice. A token that was released is never used again: a backend may
 * free it once more at any time. A token's release is sent after the answers to its attempt and to its renewals. Where
 * one thread sends a release and then an attempt for the same key, they take effect in that order, unless the
 * connection breaks or the store refuses the first copy of one of them in between. A
 * command that is never answered counts as unknown after 65 s. Thread-safe.
 *
 * <p><b>What every store promises</b>: at most one token has a lock at a time; the fencing tokens of a key grow; a lock
 * whose holder is gone becomes free. How soon, whom a release wakes, and what a lease means differ: {@link
 * #capabilities}. Where the locks of an instance end with its session, a hold is certain only for the {@link
 * CrashDetection#certainTime time} after the last proof that the session goes on, and in doubt afterwards; leases then
 * end what is not renewed, and nothing else.
 */
public interface LockBackend extends AutoCloseable {

    /**
     * What the store can do. Constant.
     *
     * @return all that the port has, by default
     */
    default StoreCapabilities capabilities() {
        return StoreCapabilities.ALL;
    }

    /**
     * Grants the lock if it is free, or if this very token has it already. If it is busy and the command says that the
     * caller waits, registers the instance as a waiter, and notifies the instance that has the lock unless another one
     * was registered before.
     *
     * @param command what to acquire
     * @return the outcome
     */
    CompletionStage<AcquireResult> acquire(AcquireCommand command);

    /**
     * Makes each lease end no earlier than the given time from now, if the token still has the lock. One stage per
     * command, in order. A backend may carry several at once, which then share a failure or a timeout; but what it
     * finds out about one lock, a problem included, is that one's outcome alone.
     *
     * @param commands what to renew
     * @return the outcomes, as many as commands
     */
    List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands);

    /**
     * Frees the lock if the token has it, and signals the instance that waits longest. A releasing instance that
     * requests a new place in the queue is registered behind it; if there was no instance to signal, it is not
     * registered, and may try again at once.
     *
     * <p>If a connection breaks and the client sends the command a second time, the answer to the second copy is that
     * the lock is released, not that it was lost.
     *
     * <p>If the command has a minimum time of which a part is left, the lock does not become free: in the same step it
     * is given to no owner for the rest of that time, so that no token has it, and every attempt is contended.
     *
     * <p>If the command {@linkplain ReleaseCommand#endsWait ends the wait} of this instance, the instance leaves the
     * queue; and if the lock is free then, or kept, the next instance is signalled, since the last signal may have been
     * spent on this one. The answer is that the lock is released, whether or not the token had it.
     *
     * @param command what to release
     * @return the outcome
     */
    CompletionStage<ReleaseResult> release(ReleaseCommand command);

    /**
     * Reads one lock, of any owner. Changes nothing.
     *
     * @param key the lock's key
     * @param slot which one of a lock with several permits; 0 for one with one
     * @return what is stored; unknown where a backend has no way to look
     */
    default CompletionStage<StoredLock> inspect(String key, int slot) {
        return CompletableFuture.completedFuture(new StoredLock.Unknown("This lock backend cannot read locks"));
    }

    /**
     * Frees the lock if the fencing token is the last that was granted and the lock is held or kept, signals the
     * instance that waits longest, and notifies the instance that had it.
     *
     * @param key the lock's key
     * @param slot which one of a lock with several permits; 0 for one with one
     * @param fencingToken the last of the fencing tokens that were granted to the owner
     * @return the outcome; unknown, with nothing changed, where a backend has no way to do it
     */
    default CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return CompletableFuture.completedFuture(
                new Revocation.Unknown("This lock backend cannot revoke locks; nothing was changed"));
    }

    /**
     * Asks the store for its state. An answer without a failure ends an outage.
     *
     * @return its state; by default, without asking, that there is no failure
     */
    default CompletionStage<StoreState> state() {
        return CompletableFuture.completedFuture(new StoreState(getClass().getSimpleName(), Optional.empty()));
    }

    /**
     * How this store detects a crash of the instance that holds a lock. Constant.
     *
     * @return empty where the lease alone decides, as by default
     */
    default Optional<CrashDetection> crashDetection() {
        return Optional.empty();
    }

    /**
     * Whether this store lets the locks of a crashed instance be taken over, as far as it is known. Returns at once.
     *
     * @return on, if there is a {@link #crashDetection}, and nothing speaks against it; off with the reason otherwise
     */
    default CrashTakeOver crashTakeOver() {
        return crashDetection().isPresent()
                ? CrashTakeOver.ON
                : CrashTakeOver.off("This lock store does not tell a crashed instance from a paused one");
    }

    /**
     * Whether a failure means that the store did not answer: that a command timed out, or that no connection was there
     * or could be opened. The engine reports outages by it.
     *
     * @param failure the {@linkplain FailedResult#cause cause} of a result, or of a beat without an answer
     * @return false for a refusal of the server, and for what this client brought about: it was closed, cancelled the
     *     command, or lacks memory. By default true for a timeout alone, which is also how the engine ends a command
     *     that is never answered
     */
    default boolean isSilence(Throwable failure) {
        return failure instanceof TimeoutException;
    }

    /**
     * Which server has this key, where servers of one store fail one by one.
     *
     * @param key the lock's key
     * @return as messages call it, such as {@code Redis at localhost:6379}; empty where the store fails as a whole, as
     *     by default, and where no server is known
     */
    default Optional<String> serverOf(String key) {
        return Optional.empty();
    }

    /**
     * Registers the one receiver of signals for an instance. Called once, before the first command.
     *
     * @param instanceId the instance whose signals to receive
     * @param listener the receiver
     */
    void listen(String instanceId, SignalListener listener);

    /** Closes connections and threads of the backend's own. Idempotent. */
    @Override
    void close();
}
