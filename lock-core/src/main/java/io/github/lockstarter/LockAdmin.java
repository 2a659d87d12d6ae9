package io.github.lockstarter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;

/**
 * Operator's view of the locks and the store. Thread-safe. The futures complete normally, within the backend's command
 * timeout; dependents may run on an event loop.
 */
public interface LockAdmin {

    /**
     * {@return the start of this instance's id, such as {@code 3f2a91c0}; new after each start, too short to release a
     * lock}
     */
    String instance();

    /** {@return a live view of the locks that this instance holds} */
    HeldLocks heldLocks();

    /** {@return a copy of this instance's waiting callers; those of one key in serving order} */
    List<WaitingCaller> waiters();

    /**
     * {@return slot 0, as {@link #inspect(String, int)}}
     *
     * @param key key
     */
    default CompletableFuture<StoredLock> inspect(String key) {
        return inspect(key, 0);
    }

    /**
     * {@return the stored lock of any instance; changes nothing}
     *
     * @param key key
     * @param slot as {@link HeldLock#slot}
     */
    CompletableFuture<StoredLock> inspect(String key, int slot);

    /**
     * Takes a lock away from its holder, in any instance, if the fencing token is still current.
     *
     * <p>The token of a {@link HeldLock} names that hold. The token of a {@link StoredLock.Held} names a grant to an
     * instance, including its handovers; use it for other instances. With a quorum it may exceed the token of every
     * hold. A {@link StoredLock.Kept kept} lock becomes free.
     *
     * <p>A holder in this instance loses the lock before the store deletes it. A holder in another instance loses it on
     * a message, or at its next renewal; if it misses the message within the longest lease after a failover or restart
     * of the store, it takes the lock back. Work that never checks the lock continues.
     *
     * @param key key
     * @param fencingToken from {@link HeldLock}, {@link StoredLock.Held} or {@link StoredLock.Kept}
     * @return the outcome
     */
    default CompletableFuture<Revocation> revoke(String key, long fencingToken) {
        return revoke(key, 0, fencingToken);
    }

    /**
     * {@return the outcome of {@link #revoke(String, long)} for one slot} In this instance, and for a lock that is
     * read, the fencing token alone identifies the slot.
     *
     * @param key key
     * @param slot as {@link HeldLock#slot}
     * @param fencingToken fencing token
     */
    CompletableFuture<Revocation> revoke(String key, int slot, long fencingToken);

    /** {@return the state of the store; a missing answer is its failure} */
    CompletableFuture<StoreState> storeState();

    /**
     * {@return facts about the store by name, such as its version, without passwords; a refusal may name the user;
     *     empty if the store reports none}
     */
    CompletableFuture<Map<String, String>> storeDiagnosis();

    /**
     * A waiting caller.
     *
     * @param name logical name
     * @param key key
     * @param owner name of the waiting thread, or {@value HeldLock#ASYNC}
     * @param waitedFor time since the call
     * @param position place among this instance's waiters, from 1
     * @param attempts attempts at the store, made only by a key's first waiter
     * @param mode whether it waits to read
     */
    record WaitingCaller(
            String name, String key, String owner, Duration waitedFor, int position, int attempts, LockMode mode) {}

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
         * @param holder owner; empty for a client of another kind, which also excludes this application
         * @param remainingLease remaining lease; empty if unlimited
         * @param fencingToken last granted token, including those for handovers, or 0
         * @param waitingInstances number
         * @param inDoubtFor time since an attempt detected that the holder's instance is disconnected
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
             * @param holder owner
             * @param remainingLease remaining lease
             * @param fencingToken last token
             * @param waitingInstances number
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
         * Readers have the lock: one or more instances, each for any number of callers.
         *
         * @param readers by slot, see {@link HeldLock#slot}
         * @param waitingInstances number
         */
        record Read(SortedMap<Integer, Held> readers, long waitingInstances) implements StoredLock {}

        /**
         * The store has no owner of the lock.
         *
         * @param fencingToken last granted token, or 0
         * @param waitingInstances number
         * @param recovering time without grants because an owner may be forgotten
         */
        record Free(long fencingToken, long waitingInstances, Duration recovering) implements StoredLock {

            /**
             * A lock that the store grants to the next attempt.
             *
             * @param fencingToken last token
             * @param waitingInstances number
             */
            public Free(long fencingToken, long waitingInstances) {
                this(fencingToken, waitingInstances, Duration.ZERO);
            }
        }

        /**
         * Released, but not granted before its {@link LockRequest#minHold minimum hold} ends.
         *
         * @param remaining time until the store grants it
         * @param fencingToken last granted token
         * @param waitingInstances number
         */
        record Kept(Duration remaining, long fencingToken, long waitingInstances) implements StoredLock {}

        /**
         * The store gave no answer.
         *
         * @param reason failure
         */
        record Unknown(String reason) implements StoredLock {}
    }

    /** Outcome of {@link #revoke}. */
    sealed interface Revocation {

        /**
         * The grant with that fencing token has ended; the lock is free, with its waiters signalled, or already a
         * waiter's.
         */
        record Revoked() implements Revocation {}

        /**
         * Nothing changed: the lock is not held, or under another fencing token.
         *
         * @param found lock as stored
         */
        record Stale(StoredLock found) implements Revocation {}

        /**
         * Nothing changed: a client of another kind, without fencing tokens, has taken the lock. Delete its key in the
         * store.
         */
        record Foreign() implements Revocation {}

        /**
         * No answer, or an error; the lock may have been taken away.
         *
         * @param reason failure; says so if a holder in this instance has lost the lock
         */
        record Unknown(String reason) implements Revocation {}
    }

    /**
     * State of the store.
     *
     * @param target name in messages
     * @param failure why it is unusable; empty if it answers
     * @param recovering time without grants because it may have forgotten locks
     * @param guard detection of forgotten locks
     * @param hearsSignals whether signals wake waiters; otherwise they poll
     * @param warnings risks of its settings, each with the remedy
     * @param nodes servers, if several: voters of a quorum, or nodes that share the keys
     * @param coverage part of the locks that it keeps
     * @param crashTakeover crash takeover
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
            CrashTakeover crashTakeover) {

        /**
         * Copies the lists.
         *
         * @param target name
         * @param failure failure
         * @param recovering recovery
         * @param guard guard
         * @param hearsSignals signals
         * @param warnings risks
         * @param nodes servers
         * @param coverage coverage
         * @param crashTakeover crash takeover
         */
        public StoreState {
            warnings = List.copyOf(warnings);
            nodes = List.copyOf(nodes);
        }

        /**
         * A store that keeps all locks and needs no crash takeover.
         *
         * @param target name
         * @param failure failure
         * @param recovering recovery
         * @param guard guard
         * @param hearsSignals signals
         * @param warnings risks
         * @param nodes servers
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
                    CrashTakeover.UNNEEDED);
        }

        /**
         * A store of which only its availability is known.
         *
         * @param target name
         * @param failure failure
         */
        public StoreState(String target, Optional<String> failure) {
            this(target, failure, Duration.ZERO, Guard.UNNEEDED, failure.isEmpty(), List.of(), List.of());
        }

        /**
         * {@return a copy with this crash takeover and its warning}
         *
         * @param found crash takeover
         */
        public StoreState with(CrashTakeover found) {
            List<String> all = new ArrayList<>(warnings);
            found.warning().ifPresent(all::add);
            return new StoreState(target, failure, recovering, guard, hearsSignals, all, nodes, coverage, found);
        }

        /**
         * {@return a copy that recovers for this time, with a warning of the cause}
         *
         * @param left time
         * @param warning cause
         */
        public StoreState recovering(Duration left, String warning) {
            List<String> all = new ArrayList<>(warnings);
            all.add(warning);
            return new StoreState(target, failure, left, guard, hearsSignals, all, nodes, coverage, crashTakeover);
        }

        /** {@return a copy of one of the nodes that share the keys} */
        public StoreState asPart() {
            return new StoreState(
                    target, failure, recovering, guard, hearsSignals, warnings, nodes, Coverage.PART, crashTakeover);
        }

        /** Part of the locks that a store keeps. */
        public enum Coverage {
            /** All locks. */
            ALL,
            /** A part. */
            PART
        }

        /** Detection of forgotten locks. */
        public enum Guard {
            /** Not needed: the store forgets no locks while the application runs. */
            UNNEEDED,
            /** The client detects forgotten locks. */
            GUARDED,
            /** The client detects some cases; the store does not show all. */
            DEGRADED,
            /** Detection is disabled. */
            OFF
        }

        /**
         * Whether the locks of a crashed instance are taken over before their leases end.
         *
         * @param state state
         * @param reason why some or all are not; empty if all are
         * @param remedy change that enables it; empty if none is needed
         */
        public record CrashTakeover(State state, String reason, String remedy) {

            /** See {@link State#UNNEEDED}. */
            public static final CrashTakeover UNNEEDED = new CrashTakeover(State.UNNEEDED, "", "");

            /** See {@link State#ON}. */
            public static final CrashTakeover ON = new CrashTakeover(State.ON, "", "");

            /** State of crash takeover. */
            public enum State {
                /** Not needed: locks end with their process. */
                UNNEEDED,
                /** Locks are taken over {@code distributed-lock.crash-takeover} after a crash. */
                ON,
                /**
                 * Heartbeats get no answer: locks acquired now end with their leases after a crash; held ones may be
                 * taken over.
                 */
                INTERRUPTED,
                /** Locks end with their leases. */
                OFF
            }

            /**
             * {@return {@link State#OFF} without a remedy}
             *
             * @param reason cause
             */
            public static CrashTakeover off(String reason) {
                return new CrashTakeover(State.OFF, reason, "");
            }

            /** {@return reason and remedy, for an operator; empty if no change is needed} */
            public Optional<String> warning() {
                return remedy.isEmpty() ? Optional.empty() : Optional.of(reason + ". " + remedy);
            }
        }
    }
}
