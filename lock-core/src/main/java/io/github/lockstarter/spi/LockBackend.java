package io.github.lockstarter.spi;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoredLock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/**
 * A store of locks. Thread-safe. Each implementation must pass the contract test suite, and puts the configured key
 * prefix before everything it stores.
 *
 * <p>Every method returns at once; stages complete on any thread, within the backend's command timeout and always
 * normally: a failure is a result. The engine treats a command without an answer as unknown after 65 s.
 *
 * <p>A client may send a command twice, so every command is idempotent per {@link LockToken}. A released token is never
 * used again, so a backend may free it once more at any time. A token's release is sent after the answers to its
 * attempt and renewals. A release and a following attempt that one thread sends for the same key take effect in that
 * order, unless the connection breaks or the store refuses the first copy of one of them.
 *
 * <p><b>Every store promises</b>: at most one token has a lock at a time; the fencing tokens of a key grow; the lock of
 * a crashed holder becomes free. {@link #capabilities} has the differences.
 */
public interface LockBackend extends AutoCloseable {

    /** {@return the store's capabilities; constant, by default all} */
    default StoreCapabilities capabilities() {
        return StoreCapabilities.ALL;
    }

    /**
     * Grants the lock if it is free or this token already has it. For a busy lock and a waiting caller, registers the
     * instance as a waiter; the first registration notifies the owner's instance.
     *
     * @param command attempt
     * @return the outcome
     */
    CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command);

    /**
     * Makes each lease end no earlier than the given time from now, if the token still has the lock. Commands sent
     * together may share a failure or timeout, but no finding about one lock.
     *
     * @param commands renewals
     * @return one outcome per command, in order
     */
    List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands);

    /**
     * If the token has the lock: frees it, or keeps it for the rest of its minimum hold, in which every attempt is
     * contended, and signals the longest-waiting instance.
     *
     * <p>A command that {@linkplain ReleaseCommand#endsWait ends the wait} removes the instance from the queue. If the
     * slot that it names is then free or kept, the next instance {@linkplain ReleaseCommand.Wait.Ends behind its
     * position}, if any, is signalled, since this one may have received the last signal.
     *
     * @param command release
     * @return the outcome
     */
    CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command);

    /**
     * {@return one lock of any owner, unchanged; unknown by default}
     *
     * @param key key
     * @param slot 0 for a lock with one permit
     */
    default CompletionStage<StoredLock> inspect(String key, int slot) {
        return CompletableFuture.completedFuture(new StoredLock.Unknown("This lock backend cannot read locks"));
    }

    /**
     * Frees a held or kept lock if the fencing token is the last granted one, signals the longest-waiting instance, and
     * notifies the instance that had it.
     *
     * @param key key
     * @param slot 0 for a lock with one permit
     * @param fencingToken fencing token
     * @return the outcome; by default unknown, with nothing changed
     */
    default CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return CompletableFuture.completedFuture(
                new Revocation.Unknown("This lock backend cannot revoke locks; nothing was changed"));
    }

    /**
     * {@return the state of the store; by default, without asking, no failure} An answer without a failure ends an
     * outage.
     */
    default CompletionStage<StoreState> state() {
        return CompletableFuture.completedFuture(new StoreState(getClass().getSimpleName(), Optional.empty()));
    }

    /**
     * {@return facts for an operator's diagnosis by name, such as version, clock and refused commands, without
     * passwords; by default none}
     */
    default CompletionStage<Map<String, String>> diagnosis() {
        return CompletableFuture.completedFuture(Map.of());
    }

    /** {@return the store's crash detection; constant, by default empty: leases decide} */
    default Optional<CrashDetection> crashDetection() {
        return Optional.empty();
    }

    /**
     * {@return whether locks of a crashed instance are taken over, as far as known; by default on with a {@link
     * #crashDetection}, otherwise off}
     */
    default CrashTakeover crashTakeover() {
        return crashDetection().isPresent()
                ? CrashTakeover.ON
                : CrashTakeover.off("This lock store does not tell a crashed instance from a paused one");
    }

    /**
     * {@return whether a failure means silence, a timeout or no connection, from which the engine derives outages;
     * false for refusals and failures of this client (closed, cancelled, out of memory)} By default true for timeouts
     * only.
     *
     * @param failure {@linkplain FailedResult#cause cause} of a result or of a beat without an answer
     */
    default boolean isSilence(Throwable failure) {
        return failure instanceof TimeoutException;
    }

    /**
     * {@return the server that keeps a key, as messages call it, for stores whose servers fail one by one; empty if
     * unknown, and by default}
     *
     * @param key key
     */
    default Optional<String> serverOf(String key) {
        return Optional.empty();
    }

    /**
     * Registers the receiver of an instance's signals, before its first command. An engine that starts again calls it
     * with its new instance id and the same listener. There is one registration at a time: a later one replaces the
     * earlier one, and messages to the earlier id may be dropped. Returns at once, whether connected or not.
     *
     * @param instanceId instance
     * @param listener receiver, the same in each call
     */
    void listen(String instanceId, SignalListener listener);

    /** Closes the backend's own connections and threads. Idempotent. */
    @Override
    void close();
}
