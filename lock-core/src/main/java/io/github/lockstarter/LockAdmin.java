package io.github.lockstarter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Operator's view of the locks and the store, behind the actuator endpoint and health. Reading does not slow down
 * acquires and releases. Thread-safe. The futures always complete normally, within the backend's command timeout;
 * dependents may run on an event loop.
 */
public interface LockAdmin {

    /**
     * {@return the first characters of this instance's id, such as {@code 3f2a91c0}, too few to release a lock with;
     * new after each start}
     */
    String instance();

    /** {@return a live, read-only view of the locks that this instance holds} */
    HeldLocks heldLocks();

    /**
     * {@return an immutable copy of this instance's waiting callers; keys in no particular order, the waiters of one
     * key in the order in which the engine serves them}
     */
    List<Waiter> waiters();

    /**
     * Reads one lock of any instance with one command that changes nothing.
     *
     * @param key the lock's key
     * @return the stored lock
     */
    default CompletableFuture<StoredLock> inspect(String key) {
        return inspect(key, 0);
    }

    /**
     * {@link #inspect(String)} for one slot of a lock with several permits.
     *
     * @param key the lock's key
     * @param slot as {@link HeldLock#slot}
     * @return the stored lock
     */
    CompletableFuture<StoredLock> inspect(String key, int slot);

    /**
     * Takes a lock away from its holder, in any instance, if the fencing token is still current. A later grant is left
     * alone.
     *
     * <p>The token of a {@link HeldLock} names that hold. The token of a {@link StoredLock.Held} names a grant to an
     * instance, and so whichever caller holds the lock by that grant when the request arrives, including after
     * hand-overs. Use it for other instances; with a quorum it may exceed the token of every hold. A {@link
     * StoredLock.Kept kept} lock becomes free.
     *
     * <p>A holder in this instance loses the lock before it is deleted; the deletion waits for the answers to renewals
     * in flight. A holder in another instance loses it when that instance receives a message, or at its next renewal.
     * The holder's work continues unless it checks, and may overlap with the next owner's. For the longest lease after
     * a failover or restart of the store, a holder that misses the message takes the lock back.
     *
     * @param key the lock's key
     * @param fencingToken from {@link HeldLock}, {@link StoredLock.Held} or {@link StoredLock.Kept}
     * @return the outcome
     */
    default CompletableFuture<Revocation> revoke(String key, long fencingToken) {
        return revoke(key, 0, fencingToken);
    }

    /**
     * {@link #revoke(String, long)} for one slot of a lock with several permits. In this instance the fencing token
     * alone identifies the slot.
     *
     * @param key the lock's key
     * @param slot as {@link HeldLock#slot}
     * @param fencingToken as there
     * @return the outcome
     */
    CompletableFuture<Revocation> revoke(String key, int slot, long fencingToken);

    /** {@return the state of the store, including a missing answer} */
    CompletableFuture<StoreState> storeState();

    /**
     * A waiting caller.
     *
     * @param name logical name of the request
     * @param key the lock's key
     * @param owner name of the waiting thread, or {@value HeldLock#ASYNC}
     * @param waitedFor time since the call
     * @param position place among this instance's waiters for the key, from 1
     * @param attempts attempts at the store; only the first waiter of a key makes any
     */
    record Waiter(String name, String key, String owner, Duration waitedFor, int position, int attempts) {}

    /** The store's answer about a lock. */
    sealed interface StoredLock {

        /** {@return the last fencing token of the lock; 0 if unknown} */
        default long fencingToken() {
            return 0;
        }

        /** {@return the number of waiting instances; 0 if unknown} */
        default long waitingInstances() {
            return 0;
        }

        /**
         * An owner has the lock.
         *
         * @param holder the owner; empty for a client of another kind, whose lock excludes this application as well
         * @param remainingLease time until the store ends the lock; empty if it never does
         * @param fencingToken the last granted token, including tokens reserved for hand-overs; 0 if there is none
         * @param waitingInstances number of instances registered as waiters
         * @param inDoubtFor time since the store knows that the holder's instance is disconnected; empty if no attempt
         *     of another instance has detected that
         */
        record Held(
                Optional<LockHolder> holder,
                Optional<Duration> remainingLease,
                long fencingToken,
                long waitingInstances,
                Optional<Duration> inDoubtFor)
                implements StoredLock {

            /**
             * A lock whose holder is not known to be disconnected.
             *
             * @param holder the owner
             * @param remainingLease time until the store ends the lock; empty if it never does
             * @param fencingToken the last granted token
             * @param waitingInstances number of instances registered as waiters
             */
            public Held(
                    Optional<LockHolder> holder,
                    Optional<Duration> remainingLease,
                    long fencingToken,
                    long waitingInstances) {
                this(holder, remainingLease, fencingToken, waitingInstances, Optional.empty());
            }
        }

        /**
         * The store knows no owner of the lock; it may have forgotten one.
         *
         * @param fencingToken the last granted token; 0 if there is none, or the store keeps none for a free lock
         * @param waitingInstances number of instances registered as waiters
         * @param recovering time for which the store does not grant the lock yet because it may have forgotten its
         *     owner; zero if it grants the lock
         */
        record Free(long fencingToken, long waitingInstances, Duration recovering) implements StoredLock {

            /**
             * A lock that the store grants to the next attempt.
             *
             * @param fencingToken the last granted token, or 0
             * @param waitingInstances number of instances registered as waiters
             */
            public Free(long fencingToken, long waitingInstances) {
                this(fencingToken, waitingInstances, Duration.ZERO);
            }
        }

        /**
         * The lock has no owner but is not granted: it was released before its {@link LockRequest#keptFor minimum time}
         * ended.
         *
         * @param remaining time until the store grants it
         * @param fencingToken the last granted token; {@link #revoke} frees the lock with it
         * @param waitingInstances number of instances registered as waiters
         */
        record Kept(Duration remaining, long fencingToken, long waitingInstances) implements StoredLock {}

        /**
         * The store gave no answer.
         *
         * @param reason the failure
         */
        record Unknown(String reason) implements StoredLock {}
    }

    /** Outcome of {@link #revoke}. */
    sealed interface Revocation {

        /**
         * The owner with that fencing token has lost the lock; it is free with its waiters signalled, or a waiter has
         * it.
         */
        record Revoked() implements Revocation {}

        /**
         * Nothing changed: the lock is not held, or no longer under that fencing token.
         *
         * @param found the lock as stored
         */
        record Stale(StoredLock found) implements Revocation {}

        /**
         * Nothing changed: the present owner is a client of another kind, which took the lock later and has no fencing
         * token. To take the lock away, delete its key in the store.
         */
        record Foreign() implements Revocation {}

        /**
         * The store did not answer or reported an error; the lock may have been taken away. A holder in this instance
         * has lost the lock if the reason says so.
         *
         * @param reason the failure
         */
        record Unknown(String reason) implements Revocation {}
    }

    /**
     * State of the store.
     *
     * @param target its name in messages
     * @param failure why it is unusable; empty if it answers
     * @param recovering time for which it grants no free locks because it may have forgotten some; zero if it grants
     * @param guard whether the client detects that the store forgets locks
     * @param hearsSignals whether signals wake waiters; if not, waiters poll
     * @param warnings risks of its settings, each with the change that removes it
     * @param nodes its servers if there are several: the voters of a quorum, or the nodes that share the keys
     * @param coverage the part of the locks that it keeps
     * @param crashTakeOver whether the locks of a crashed instance are taken over before their leases end
     */
    record StoreState(
            String target,
            Optional<String> failure,
            Duration recovering,
            Guard guard,
            boolean hearsSignals,
            List<String> warnings,
            List<StoreState> nodes,
            Coverage coverage,
            CrashTakeOver crashTakeOver) {

        /**
         * Copies the lists.
         *
         * @param target its name in messages
         * @param failure why it is unusable
         * @param recovering time without grants
         * @param guard detection of forgotten locks
         * @param hearsSignals whether signals wake waiters
         * @param warnings risks of its settings
         * @param nodes its servers
         * @param coverage the part of the locks that it keeps
         * @param crashTakeOver state of crash take-over
         */
        public StoreState {
            warnings = List.copyOf(warnings);
            nodes = List.copyOf(nodes);
        }

        /**
         * A store that keeps all locks and needs no crash take-over.
         *
         * @param target its name in messages
         * @param failure why it is unusable
         * @param recovering time without grants
         * @param guard detection of forgotten locks
         * @param hearsSignals whether signals wake waiters
         * @param warnings risks of its settings
         * @param nodes its servers
         */
        public StoreState(
                String target,
                Optional<String> failure,
                Duration recovering,
                Guard guard,
                boolean hearsSignals,
                List<String> warnings,
                List<StoreState> nodes) {
            this(
                    target,
                    failure,
                    recovering,
                    guard,
                    hearsSignals,
                    warnings,
                    nodes,
                    Coverage.ALL,
                    CrashTakeOver.UNNEEDED);
        }

        /**
         * A store of which only its availability is known; it sends signals if it answers.
         *
         * @param target its name in messages
         * @param failure why it is unusable; empty if it answers
         */
        public StoreState(String target, Optional<String> failure) {
            this(target, failure, Duration.ZERO, Guard.UNNEEDED, failure.isEmpty(), List.of(), List.of());
        }

        /**
         * Replaces the state of crash take-over and adds its warning.
         *
         * @param found the new state
         * @return a copy
         */
        public StoreState with(CrashTakeOver found) {
            List<String> all = new ArrayList<>(warnings);
            found.warning().ifPresent(all::add);
            return new StoreState(target, failure, recovering, guard, hearsSignals, all, nodes, coverage, found);
        }

        /** Part of the locks that a store or server keeps. */
        public enum Coverage {
            /** All locks. */
            ALL,
            /** A part; other servers keep the rest. */
            PART
        }

        /** Whether the client detects that a store forgets locks. */
        public enum Guard {
            /** The store cannot forget locks while the application runs. */
            UNNEEDED,
            /** The client detects it. */
            GUARDED,
            /** The client detects only some cases, because the store does not provide enough information. */
            DEGRADED,
            /** Detection is disabled. */
            OFF
        }

        /**
         * Whether the locks of a crashed instance are taken over before their leases end.
         *
         * @param state the state
         * @param reason why some or all are not; empty if all are
         * @param remedy the change that enables it; empty if none is needed
         */
        public record CrashTakeOver(State state, String reason, String remedy) {

            /** Locks end with the process of their holder. */
            public static final CrashTakeOver UNNEEDED = new CrashTakeOver(State.UNNEEDED, "", "");

            /** Locks of a crashed instance are taken over. */
            public static final CrashTakeOver ON = new CrashTakeOver(State.ON, "", "");

            /** State of crash take-over. */
            public enum State {
                /** Not needed: locks end with the process of their holder. */
                UNNEEDED,
                /** Locks are taken over {@code distributed-lock.crash-takeover} after a crash. */
                ON,
                /**
                 * The store does not answer this instance's heartbeats: locks acquired now end with their leases after
                 * a crash, and held locks may be taken over.
                 */
                INTERRUPTED,
                /** A crashed instance's locks end with their leases. */
                OFF
            }

            /**
             * Crash take-over disabled by the store or the configuration.
             *
             * @param reason the cause
             * @return the state
             */
            public static CrashTakeOver off(String reason) {
                return new CrashTakeOver(State.OFF, reason, "");
            }

            /** {@return the reason and the remedy, for an operator; empty if no change is needed} */
            public Optional<String> warning() {
                return remedy.isEmpty() ? Optional.empty() : Optional.of(reason + ". " + remedy);
            }
        }
    }
}
