package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.process.ServerProcess;
import java.time.Duration;
import java.util.stream.Stream;

/** A server of a run. */
public interface StoreServer extends AutoCloseable {

    /** The server itself. */
    ServerProcess process();

    /** Where it listens, in the form that its clients need, without blanks. */
    String address();

    /** Version, and how it keeps its data, for the report. */
    String description();

    /** Bytes that its data takes now, as far as it tells; README.md says what that is for each server. */
    long dataSize();

    /**
     * Frees the space of what clients have deleted, so that {@link #dataSize} counts all that they add from now on.
     * None has a lock now.
     */
    void compact();

    /** Processor time since its start, user and system together, of its processes that live. */
    default Duration cpuTime() {
        return ProcessHandle.of(process().pid()).stream()
                .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
                .flatMap(each -> each.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    @Override
    default void close() {
        process().close();
    }
}
