package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.process.ServerProcess;
import java.time.Duration;
import java.util.stream.Stream;

/** A running server. */
public interface StoreServer extends AutoCloseable {

    ServerProcess process();

    /** Its address in the format of its clients, without blanks. */
    String address();

    /** Version and persistence, for the report. */
    String description();

    /** Size of its data in bytes; README.md defines it for each server. */
    long dataSize();

    /** Processor time of its live processes since their start, user and system. */
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
