package io.github.lockstarter.benchmarks.server;

import java.time.Duration;

/** A server that runs, and ends with {@link #close}, and with this JVM however that ends. */
public interface StoreServer extends AutoCloseable {

    /**
     * Where it listens, as its clients want to be told.
     *
     * @return without blanks
     */
    String address();

    /**
     * What runs, for the report.
     *
     * @return version, and how it keeps its data
     */
    String description();

    /**
     * Processor time since its start, of its processes that live.
     *
     * @return user and system together
     */
    Duration cpuTime();

    /**
     * What its data takes now, as far as it tells; README.md says what that is for each server.
     *
     * @return bytes
     */
    long dataSize();

    /**
     * Frees the space of what clients have deleted, so that {@link #dataSize} counts all that they add from now on.
     * None has a lock now.
     */
    void compact();

    @Override
    void close();
}
