package io.github.lockstarter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The operator's view of the locks, and the operations on them, on which the actuator's endpoint and health are built.
 * Reading does not slow down acquires and releases. Thread-safe. The futures always complete normally, within the
 * backend's command timeout; dependents may run on an event loop.
 */
public interface LockAdmin {

    /**
     * Identifies this instance of the application by the beginning of its id, which is too short to release a lock
     * with.
     *
     * @return such as {@code 3f2a91c0}; a different one after each start
     */
    String instance();

    /**
     * The locks that this instance holds.
     *
     * @return a live read-only view
     */
    HeldLocks heldLocks();

    /**
     * The callers of this instance that wait at the moment. Keys have no particular order; the waiters of one key are
     * in the order in which the engine serves them.
     *
     * @return an immutable copy
     */
    List<Waiter> waiters();

    /**
     * Asks the store about one lock, held by this or by another instance. Sends one command, which changes nothing.
     *
     * @param key the lock's key
     * @return the answer
     */
    default CompletableFuture<StoredLock> inspect(String key) {
        return inspect(key, 0);
    }

    /**
     * The same for one slot of a lock with several permits.
     *
     * @param key the lock's key
     * @param slot as {@link HeldLock#slot}
     * @return the answer
     */
    CompletableFuture<StoredLock> inspect(String key, int slot);

    /**
     * Takes a lock away from its holder, in this or another instance, if the fencing token is still that of the lock. A
     * grant that the store made after the operator looked is left alone.
     *
     * <p>The token of a {@link HeldLock} stands for that hold. The token of a {@link StoredLock.Held} stands for one
     * grant to an instance, and for the holder that has the lock by that grant when the request arrives, also after
     * hand-overs. Use the latter from another instance; on a quorum it may be above the token of any hold. A lock that
     * is {@link StoredLock.Kept} when the request arrives has no holder, and becomes free.
     *
     * <p>A holder of this instance loses the lock before the lock is deleted; the deletion follows the answers to the
     * renewals that are under way. A holder of another instance loses it when that instance receives a message, or at
     * its next renewal. The holder's work goes on unless it checks, and may overlap with the work of the next owner.
     * For the longest lease after a failover or a restart of the store, a holder that misses the message takes the lock
     * back.
     *
     * @param key the lock's key
     * @param fencingToken as seen in {@link HeldLock}, {@link StoredLock.Held} or {@link StoredLock.Kept}
     * @return the outcome
     */
    default CompletableFuture<Revocation> revoke(String key, long fencingToken) {
        return revoke(key, 0, fencingToken);
    }

    /**
     * The same for one slot of a lock with several permits. A slot of this instance is found by its fencing token.
     *
     * @param key the lock's key
     * @param slot as {@link HeldLock#slot}
     * @param fencingToken as seen in {@link HeldLock}, {@link StoredLock.Held} or {@link StoredLock.Kept}
     * @return the outcome
     */
    CompletableFuture<Revocation> revoke(String key, int slot, long fencingToken);

    /**
     * Asks the store for its state.
     *
     * @return the state; if the store does not answer, the state says so
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
     * @param attempts number of attempts at the store; only the first waiter of a key makes any
     */
    record Waiter(String name, String key, String owner, Duration waitedFor, int position, int attempts) {}

    /** What the store says about a lock. */
    sealed interface StoredLock {

        /**
         * The last fencing token of the lock.
         *
         * @return 0 if the store did not say
         */
        default long fencingToken() {
            return 0;
        }

        /**
         * How many instances wait.
         *
         * @return 0 if the store did not say
         */
        default long waitingInstances() {
            return 0;
        }

        /**
         * An owner has the lock.
         *
         * @param holder the owner; empty for a client of another kind, whose lock excludes this application all the
         *     same
         * @param remainingLease time until the store ends the lock; empty if it never does
         * @param fencingToken the last granted one, tokens reserved for hand-overs included; 0 if there is none
         * @param waitingInstances how many instances are registered as waiters
         * @param inDoubtFor for how long the store has known that the connection of the holder's instance has ended;
         *     empty if no attempt of another instance has found that
         */
        record Held(
                Optional<LockHolder> holder,
                Optional<Duration> remainingLease,
                long fencingToken,
                long waitingInstances,
                Optional<Duration> inDoubtFor)
                implements StoredLock {

            /**
             * A lock whose holder is connected, as far as it is known.
             *
             * @param holder the owner
             * @param remainingLease time until the store ends the lock; empty if it never does
             * @param fencingToken the last granted one
             * @param waitingInstances how many instances are registered as waiters
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
         * @param fencingToken the last that was granted; 0 if there is none, or the store keeps none for a free lock
         * @param waitingInstances how many instances are registered as waiters
         * @param recovering time for which the store does not grant the lock yet, since it may have forgotten its
         *     owner; zero if it grants the lock
         */
        record Free(long fencingToken, long waitingInstances, Duration recovering) implements StoredLock {

            /**
             * A lock that the store grants to the next attempt.
             *
             * @param fencingToken the last that was granted; 0 if there is none, or the store keeps none for a free
             *     lock
             * @param waitingInstances how many instances are registered as waiters
             */
            public Free(long fencingToken, long waitingInstances) {
                this(fencingToken, waitingInstances, Duration.ZERO);
            }
        }

        /**
         * The lock has no owner, and the store grants it to none: its last owner released it before its {@link
         * LockRequest#keptFor minimum time} was over.
         *
         * @param remaining time until the store grants it
         * @param fencingToken the last that was granted, by which the lock can be freed
         * @param waitingInstances how many instances are registered as waiters
         */
        record Kept(Duration remaining, long fencingToken, long waitingInstances) implements StoredLock {}

        /**
         * The store did not say.
         *
         * @param reason what failed
         */
        record Unknown(String reason) implements StoredLock {}
    }

    /** The outcome of a {@link #revoke revocation}. */
    sealed interface Revocation {

        /**
         * The owner with that fencing token has lost the lock. The lock is free and waiters are signalled, or one has
         * it.
         */
        record Revoked() implements Revocation {}

        /**
         * Nothing was changed: the lock is not held, or not under that fencing token any more.
         *
         * @param found the lock as the store has it
         */
        record Stale(StoredLock found) implements Revocation {}

        /**
         * Nothing was changed: the present owner is a client of another kind, which has no fencing token, and which
         * took the lock after the owner that the token was granted to. To take the lock away, delete its key in the
         * store.
         */
        record Foreign() implements Revocation {}

        /**
         * The store did not answer or reported an error, so the lock may have been taken away. A holder of this
         * instance has lost the lock if the reason says so.
         *
         * @param reason what failed
         */
        record Unknown(String reason) implements Revocation {}
    }

    /**
     * The state of the store.
     *
     * @param target its name in messages
     * @param failure why it cannot be used; empty if it answers
     * @param recovering time for which free locks are not granted yet, since it may have forgotten some; zero if it
     *     grants
     * @param guard whether the client notices that the store forgets locks
     * @param hearsSignals whether signals wake waiters; if not, waiters retry on their own
     * @param warnings risks of its settings, each with the change that removes it
     * @param nodes its servers, if there are several: those that vote on each lock, or those that each have a part of
     *     the locks
     * @param coverage which of the locks it has
     * @param crashTakeOver whether the locks of a crashed instance are taken over before their leases are over
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
         * @param target what messages call it
         * @param failure why it cannot be used
         * @param recovering for how much longer free locks are not granted
         * @param guard whether it is noticed that it forgets
         * @param hearsSignals whether waiters are woken
         * @param warnings what its settings put at risk
         * @param nodes its servers
         * @param coverage which of the locks it has
         * @param crashTakeOver whether the locks of a crashed instance are taken over
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
         * A store of which only is known whether it answers. A store that does not answer sends no signals.
         *
         * @param target what messages call it
         * @param failure why it cannot be used; empty if it answers
         */
        public StoreState(String target, Optional<String> failure) {
            this(target, failure, Duration.ZERO, Guard.UNNEEDED, failure.isEmpty(), List.of(), List.of());
        }

        /**
         * The same with another answer to the question whether the locks of a crashed instance are taken over.
         *
         * @param found the answer
         * @return a copy; what an operator can change about it is a warning
         */
        public StoreState with(CrashTakeOver found) {
            List<String> all = new ArrayList<>(warnings);
            found.warning().ifPresent(all::add);
            return new StoreState(target, failure, recovering, guard, hearsSignals, all, nodes, coverage, found);
        }

        /** Which of the locks a store, or a server of it, has. */
        public enum Coverage {
            /** All. */
            ALL,
            /** A part; others have the rest. */
            PART
        }

        /** Whether the client notices that a store forgets locks. */
        public enum Guard {
            /** The store cannot forget locks while the application runs. */
            UNNEEDED,
            /** The client notices it. */
            GUARDED,
            /** The client notices a part of the cases: the store does not give it enough information. */
            DEGRADED,
            /** The client does not notice it, as configured. */
            OFF
        }

        /**
         * Whether the locks of a crashed instance are taken over before their leases are over.
         *
         * @param state in a word
         * @param reason why they are not, or which of them are not; empty if all are
         * @param remedy what to change so that they are; empty where nothing needs to be changed
         */
        public record CrashTakeOver(State state, String reason, String remedy) {

            /** The locks end with the process of their holder. */
            public static final CrashTakeOver UNNEEDED = new CrashTakeOver(State.UNNEEDED, "", "");

            /** The locks of a crashed instance are taken over. */
            public static final CrashTakeOver ON = new CrashTakeOver(State.ON, "", "");

            /** Whether locks are taken over, in a word. */
            public enum State {
                /** There is nothing to take over: the locks end with the process of their holder. */
                UNNEEDED,
                /** Locks are taken over {@code distributed-lock.crash-takeover} after a crash. */
                ON,
                /**
                 * The store does not hear this instance at the moment: the locks that it acquires now are left to their
                 * leases if it crashes, and those that it has may be taken over.
                 */
                INTERRUPTED,
                /** The leases alone decide. */
                OFF
            }

            /**
             * The leases alone decide, since the store or the configuration wants it so.
             *
             * @param reason why
             * @return the state
             */
            public static CrashTakeOver off(String reason) {
                return new CrashTakeOver(State.OFF, reason, "");
            }

            /**
             * What to change, with the reason.
             *
             * @return a text for an operator; empty where nothing needs to be changed
             */
            public Optional<String> warning() {
                return remedy.isEmpty() ? Optional.empty() : Optional.of(reason + ". " + remedy);
            }
        }
    }
}
