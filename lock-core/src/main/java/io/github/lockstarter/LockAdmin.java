package io.github.lockstarter;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What an operator sees of the locks, and does about them: the actuator's endpoint and health are made of it. Reading costs
 * the hot path nothing. Thread-safe. The futures always complete normally, within the backend's command timeout; dependents
 * may run on an event loop.
 */
public interface LockAdmin {

    /**
     * Which instance of the application this is: the beginning of the id under which it acquires, too short to release
     * anything with.
     *
     * @return such as {@code 3f2a91c0}; another one after each start
     */
    String instance();

    /**
     * What this instance holds.
     *
     * @return a live read-only view
     */
    HeldLocks heldLocks();

    /**
     * Who waits in this instance at the moment, in no particular order of keys, those of one key in the order in which they
     * are served.
     *
     * @return an immutable copy
     */
    List<Waiter> waiters();

    /**
     * What the store says about one lock, whoever holds it. One command, which changes nothing.
     *
     * @param key the lock's key
     * @return the answer
     */
    CompletableFuture<StoredLock> inspect(String key);

    /**
     * Takes a lock away from whoever holds it, here or elsewhere, if the fencing token is still that of the lock: nobody is
     * freed of a lock that the store granted after the operator looked. The token of a {@link HeldLock} names that hold. The one
     * of {@link StoredLock.Held} names an instance's stay with the lock, and whoever has it there when the request comes, also
     * after hand-overs; it is the one to use from another instance, and on a quorum it may be above that of any hold. A holder of this instance has lost it before it is deleted;
     * one of another instance is told at once by a message, at the latest by its next renewal. Its work goes on unless it
     * checks: what it still does may overlap with the next owner. For the longest lease after a failover or a restart of the
     * store, a holder that misses the message takes the lock back.
     *
     * @param key the lock's key
     * @param fencingToken as seen in {@link HeldLock} or in {@link StoredLock.Held}
     * @return what became of it
     */
    CompletableFuture<Revocation> revoke(String key, long fencingToken);

    /**
     * How the store is. Asks it.
     *
     * @return its state; if it does not answer, that is the state
     */
    CompletableFuture<StoreState> storeState();

    /**
     * One caller that waits.
     *
     * @param name logical name of the request
     * @param key the lock's key
     * @param owner name of the waiting thread, or {@value HeldLock#ASYNC}
     * @param waitedFor time since the call
     * @param position place among those of this instance that wait for the key, from 1
     * @param attempts how often it has asked the store; only the first of a key does
     */
    record Waiter(String name, String key, String owner, Duration waitedFor, int position, int attempts) {}

    /** What the store says about a lock. */
    sealed interface StoredLock {

        /**
         * Somebody has it.
         *
         * @param holder who; empty if it is not a client of this kind, which excludes it all the same
         * @param remainingLease until the store ends it; empty if it never does
         * @param fencingToken the last that was granted, which includes those kept for hand-overs; 0 if there is none
         * @param waitingInstances how many instances are registered as waiters
         */
        record Held(
                Optional<Holder> holder, Optional<Duration> remainingLease, long fencingToken, long waitingInstances)
                implements StoredLock {}

        /**
         * Nobody has it, as far as the store knows, which may have forgotten its owner.
         *
         * @param fencingToken the last that was granted; 0 if there is none
         * @param waitingInstances how many instances are registered as waiters
         * @param recovering for how much longer the store does not grant it, since it may have forgotten its owner; zero if it
         *     grants it
         */
        record Free(long fencingToken, long waitingInstances, Duration recovering) implements StoredLock {

            /**
             * A lock that is granted to the next one that asks for it.
             *
             * @param fencingToken the last that was granted; 0 if there is none
             * @param waitingInstances how many instances are registered as waiters
             */
            public Free(long fencingToken, long waitingInstances) {
                this(fencingToken, waitingInstances, Duration.ZERO);
            }
        }

        /**
         * The store did not say.
         *
         * @param reason what failed
         */
        record Unknown(String reason) implements StoredLock {}

        /**
         * Who has a lock, as the store was told by who got it. If the instance has passed the lock on since, to a waiter of its
         * own, that is not told before it asks the store again.
         *
         * @param instance as {@link LockAdmin#instance} of the instance
         * @param owner name of the thread that got it, shortened, or {@value HeldLock#ASYNC}; empty if it was not told
         * @param since when it asked for it, by its own clock; empty if it was not told
         */
        record Holder(String instance, Optional<String> owner, Optional<Instant> since) {

            /**
             * An instance of which no more is known.
             *
             * @param instance as {@link LockAdmin#instance} of the instance
             */
            public Holder(String instance) {
                this(instance, Optional.empty(), Optional.empty());
            }
        }
    }

    /** What became of a {@link #revoke revocation}. */
    sealed interface Revocation {

        /** Whoever had the lock under that fencing token has it no longer: it is free, and waiters are told, or it has gone to one. */
        record Revoked() implements Revocation {}

        /**
         * Nothing was changed: the lock is not held, or not under that fencing token any more.
         *
         * @param found what the store says instead
         */
        record Stale(StoredLock found) implements Revocation {}

        /**
         * Nothing was changed: the store's present owner is a client of another kind, which was granted no fencing token, and took
         * the lock after the one that the token was granted to. Delete its key to take it away.
         */
        record Foreign() implements Revocation {}

        /**
         * It may have been taken away: no answer, or an error. A holder of this instance has lost it if the reason says so.
         *
         * @param reason what failed
         */
        record Unknown(String reason) implements Revocation {}
    }

    /**
     * How the store is.
     *
     * @param target what messages call it
     * @param failure why it cannot be used; empty if it answers
     * @param recovering for how much longer free locks are not granted, since it may have forgotten some; zero if it grants
     * @param guard whether it is noticed that it forgets
     * @param hearsSignals whether waiters are woken; if not, they look again by themselves
     * @param warnings what its settings put at risk, and what to change
     * @param nodes its servers, if there are several: those that vote on each lock, or those that have a part of the locks each
     * @param coverage which of the locks it has
     */
    record StoreState(
            String target,
            Optional<String> failure,
            Duration recovering,
            Guard guard,
            boolean hearsSignals,
            List<String> warnings,
            List<StoreState> nodes,
            Coverage coverage) {

        /**
         * Copies the lists.
         *
         * @param target what messages call it
         * @param failure why it cannot be used
         * @param recovering for how much longer free locks are not granted
         * @param guard whether it is noticed that it forgets
         * @param hearsSignals whether waiters are woken
         * @param warnings what its settings put at risk
         * @param nodes its servers
         * @param coverage which of the locks it has
         */
        public StoreState {
            warnings = List.copyOf(warnings);
            nodes = List.copyOf(nodes);
        }

        /**
         * A store that has all locks.
         *
         * @param target what messages call it
         * @param failure why it cannot be used
         * @param recovering for how much longer free locks are not granted
         * @param guard whether it is noticed that it forgets
         * @param hearsSignals whether waiters are woken
         * @param warnings what its settings put at risk
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
            this(target, failure, recovering, guard, hearsSignals, warnings, nodes, Coverage.ALL);
        }

        /**
         * A store of which nothing but an answer, or the lack of one, is to be told. One that does not answer sends no signals.
         *
         * @param target what messages call it
         * @param failure why it cannot be used; empty if it answers
         */
        public StoreState(String target, Optional<String> failure) {
            this(target, failure, Duration.ZERO, Guard.UNNEEDED, failure.isEmpty(), List.of(), List.of());
        }

        /** Which of the locks a store, or a server of it, has. */
        public enum Coverage {
            /** All. */
            ALL,
            /** A part; others have the rest. */
            PART
        }

        /** Whether it is noticed that a store forgets locks. */
        public enum Guard {
            /** It cannot forget them while the application runs. */
            UNNEEDED,
            /** It is. */
            GUARDED,
            /** Only in part: the store does not tell enough. */
            DEGRADED,
            /** It is not, as configured. */
            OFF
        }
    }
}
