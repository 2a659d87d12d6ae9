package io.github.lockstarter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Operator's view of the locks and the store, behind the actuator endpoint and health. Thread-safe. The futures always
 * complete normally, within the backend's command timeout; dependents may run on an event loop.
 */
public interface LockAdmin {

    /**
     * {@return the start of this instance's id, such as {@code 3f2a91c0}, too short to release a lock with; new after
     * each start}
     */
    String instance();

    /** {@return a live view of the locks that this instance holds} */
    HeldLocks heldLocks();

    /**
     * {@return an immutable copy of this instance's waiting callers; those of one key in the order in which they are
     * served}
     */
    List<Waiter> waiters();

    /**
     * Reads one lock of any instance. Changes nothing.
     *
     * @param key the key
     * @return the stored lock
     */
    default CompletableFuture<StoredLock> inspect(String key) {
        return inspect(key, 0);
    }

    /**
     * Reads one slot of a lock with several permits.
     *
     * @param key the key
     * @param slot as {@link HeldLock#slot}
     * @return the stored lock
     */
    CompletableFuture<StoredLock> inspect(String key, int slot);

    /**
     * Takes a lock away from its holder, in any instance, if the fencing token is still current. A later grant is left
     * alone.
     *
     * <p>The token of a {@link HeldLock} names that hold. The token of a {@link StoredLock.Held} names a grant to an
     * instance, and so whichever caller holds the lock by that grant, including after hand-overs. Use it for other
     * instances; with a quorum it may exceed the token of every hold. A {@link StoredLock.Kept kept} lock becomes free.
     *
     * <p>A holder in this instance loses the lock before it is deleted; the deletion waits for renewals in flight. A
     * holder in another instance loses it on a message, or at its next renewal; if it misses the message within the
     * longest lease after a failover or restart of the store, it takes the lock back. The holder's work continues
     * unless it checks, and may overlap with the next owner's.
     *
     * @param key the key
     * @param fencingToken from {@link HeldLock}, {@link StoredLock.Held} or {@link StoredLock.Kept}
     * @return the outcome
     */
    default CompletableFuture<Revocation> revoke(String key, long fencingToken) {
        return revoke(key, 0, fencingToken);
    }

    /**
     * Revokes one slot of a lock with several permits. In this instance the fencing token alone identifies the slot.
     *
     * @param key the key
     * @param slot as {@link HeldLock#slot}
     * @param fencingToken as {@link #revoke(String, long)}
     * @return the outcome
     */
    CompletableFuture<Revocation> revoke(String key, int slot, long fencingToken);

    /** {@return the state of the store; a missing answer is its failure} */
    CompletableFuture<StoreState> storeState();

    /**
     * A waiting caller.
     *
     * @param name logical name of the request
     * @param key the key
     * @param owner name of the waiting thread, or {@value HeldLock#ASYNC}
     * @param waitedFor time since the call
     * @param position place among this instance's waiters, from 1
     * @param attempts attempts at the store, made only by the first waiter of a key
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
         * @param holder the owner; empty for a client of another kind, which also excludes this application
         * @param remainingLease time until the store ends the lock; empty if unlimited
         * @param fencingToken the last granted token, including those reserved for hand-overs, or 0
         * @param waitingInstances number of waiting instances
         * @param inDoubtFor time since an attempt of another instance detected that the holder's instance is
         *     disconnected, if any
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
             * @param remainingLease time until the store ends the lock, if limited
             * @param fencingToken the last granted token, or 0
             * @param waitingInstances number of waiting instances
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
         * @param fencingToken the last granted token; 0 if none is stored
         * @param waitingInstances number of waiting instances
         * @param recovering time for which the store does not grant the lock because it may have forgotten its owner
         */
        record Free(long fencingToken, long waitingInstances, Duration recovering) implements StoredLock {

            /**
             * A lock that the store grants to the next attempt.
             *
             * @param fencingToken the last granted token, or 0
             * @param waitingInstances number of waiting instances
             */
            public Free(long fencingToken, long waitingInstances) {
                this(fencingToken, waitingInstances, Duration.ZERO);
            }
        }

        /**
         * Not held, but not granted either: released before its {@link LockRequest#keptFor minimum time} ended.
         *
         * @param remaining time until the store grants it
         * @param fencingToken the last granted token, with which {@link #revoke} frees the lock
         * @param waitingInstances number of waiting instances
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
         * The owner with that fencing token has lost the lock; it is free, with its waiters signalled, or already a
         * waiter's.
         */
        record Revoked() implements Revocation {}

        /**
         * Nothing changed: the lock is not held, or no longer under that fencing token.
         *
         * @param found the lock as stored
         */
        record Stale(StoredLock found) implements Revocation {}

        /**
         * Nothing changed: a client of another kind, without a fencing token, took the lock later. To take the lock
         * away, delete its key in the store.
         */
        record Foreign() implements Revocation {}

        /**
         * No answer, or an error; the lock may have been taken away. A holder in this instance has lost it if the
         * reason says so.
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
     * @param recovering time without grants of free locks because it may have forgotten some; zero if it grants
     * @param guard whether the client detects that it forgets locks
     * @param hearsSignals whether signals wake waiters; otherwise they poll
     * @param warnings risks of its settings, each with the remedy
     * @param nodes its servers, if several: the voters of a quorum, or the nodes that share the keys
     * @param coverage the part of the locks that it keeps
     * @param crashTakeOver whether locks of a crashed instance are taken over before their leases end
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
         * @param target its name
         * @param failure its failure
         * @param recovering time without grants
         * @param guard its guard
         * @param hearsSignals whether signals arrive
         * @param warnings its risks
         * @param nodes its servers
         * @param coverage its coverage
         * @param crashTakeOver its crash take-over
         */
        public StoreState {
            warnings = List.copyOf(warnings);
            nodes = List.copyOf(nodes);
        }

        /**
         * A store that keeps all locks and needs no crash take-over.
         *
         * @param target its name
         * @param failure its failure
         * @param recovering time without grants
         * @param guard its guard
         * @param hearsSignals whether signals arrive
         * @param warnings its risks
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
         * @param target its name
         * @param failure its failure
         */
        public StoreState(String target, Optional<String> failure) {
            this(target, failure, Duration.ZERO, Guard.UNNEEDED, failure.isEmpty(), List.of(), List.of());
        }

        /**
         * Replaces the crash take-over and adds its warning.
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

        /** Detection of forgotten locks. */
        public enum Guard {
            /** Not needed: the store cannot forget locks while the application runs. */
            UNNEEDED,
            /** The client detects forgotten locks. */
            GUARDED,
            /** The client detects some cases; the store does not provide enough information for all. */
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

            /** See {@link State#UNNEEDED}. */
            public static final CrashTakeOver UNNEEDED = new CrashTakeOver(State.UNNEEDED, "", "");

            /** See {@link State#ON}. */
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
             * See {@link State#OFF}.
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
