package io.github.lockstarter.contract;

import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.StoreCapabilities;
import io.github.lockstarter.testing.SettableClock;
import java.time.Duration;
import java.util.Optional;

/** A store that several applications share; the tests of a backend implement it to bind the contract. */
public interface LockStore extends AutoCloseable {

    /** Connects one more application. Closed with the store. */
    LockBackend connect();

    /** The declared capabilities. */
    default StoreCapabilities capabilities() {
        return StoreCapabilities.ALL;
    }

    /** Instances that a release signals. */
    enum Signals {

        /** None, and no owner receives a notice of waiting instances or of its revocation. */
        NONE,

        /** All that wait; positions are meaningless. */
        TO_ALL,

        /** The one that has waited longest. */
        IN_ORDER
    }

    /** The instances that a release signals. */
    default Signals signals() {
        return Signals.IN_ORDER;
    }

    /** Whether each lock ends with its own lease by the store's clock; otherwise with the session of its instance. */
    default boolean hasLeasesPerLock() {
        return true;
    }

    /** Whether a repeated attempt receives the same numbers; of several stores, others may answer with their own. */
    default boolean answersTheSameAgain() {
        return true;
    }

    /**
     * Whether one of several attempts at once gets the lock; of several stores, each may grant to another, and none
     * wins.
     */
    default boolean grantsToOneOfMany() {
        return true;
    }

    /** Whether it knows the last fencing token of a lock; of several stores, one may be down. */
    default boolean knowsTheLastFencingToken() {
        return true;
    }

    /** Whether it knows who released a free lock; otherwise a repeated release finds it not held. */
    default boolean remembersReleases() {
        return false;
    }

    /**
     * Whether any caller may acquire a released lock before the signalled instance; otherwise it is reserved for that
     * one.
     */
    default boolean letsNewcomersIn() {
        return true;
    }

    /** Whether it makes fencing tokens exceed any number that an instance knows; otherwise it rejects the grant. */
    default boolean exceedsAnyFencingToken() {
        return true;
    }

    /**
     * The command timeout of the backends; empty where the store cannot be {@linkplain #pause paused}, such as in this
     * JVM.
     */
    default Optional<Duration> commandTimeout() {
        return Optional.empty();
    }

    /**
     * Pauses the servers, or so many of them that the others cannot decide: connections stay open, and no server
     * answers. Called only where there is a {@linkplain #commandTimeout command timeout}.
     */
    default void pause() {
        throw new UnsupportedOperationException(this + " cannot be paused");
    }

    /** Lets paused servers continue; no effect on others. */
    default void resume() {}

    /**
     * The clock of the applications, by which the leases of the store end too; always the same one. Empty where a test
     * cannot let time pass.
     */
    default Optional<SettableClock> clock() {
        return Optional.empty();
    }

    /** Ends all connections. */
    @Override
    void close();
}
