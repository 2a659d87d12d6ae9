package io.github.lockstarter.contract;

import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.StoreCapabilities;
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

    /**
     * Whether a repeated attempt is told the same numbers; of several stores, others may answer then, with their own.
     */
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

    /** Whether it knows the last fencing token of a lock; of several stores, it may be one that is down. */
    default boolean knowsTheLastFencingToken() {
        return true;
    }

    /** Whether it knows by whom a free lock was released; else a release that is sent again finds it not held. */
    default boolean remembersReleases() {
        return false;
    }

    /**
     * Whether a lock that was released is anybody's until the instance that was signalled has it; else it is that
     * one's.
     */
    default boolean letsNewcomersIn() {
        return true;
    }

    /** Whether it makes fencing tokens exceed any number that an instance knows; else it refuses the grant. */
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

    /** Lets paused servers continue; without effect on those that run. */
    default void resume() {}

    /** Ends all connections. */
    @Override
    void close();
}
