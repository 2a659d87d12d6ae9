package io.github.lockstarter.benchmarks.server;

import java.time.Duration;
import java.util.stream.Stream;

/** Processor times as the operating system counts them. */
final class ProcessTimes {

    private ProcessTimes() {}

    /** Of a process and its descendants that live now; none if there is no such process. */
    static Duration ofTree(long pid) {
        return ProcessHandle.of(pid).stream()
                .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
                .flatMap(process -> process.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }
}
