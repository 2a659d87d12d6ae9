package io.github.lockstarter.faults.worker;

import io.github.lockstarter.LockRequest;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.Transports;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Event loops and executors of a worker that are not the lock client's, as those of an application's Redis client or
 * web server. Blocks them when the lab says so, by a number of milliseconds on the standard input.
 */
final class ForeignThreads {

    /** As an application's Lettuce client on two processors. */
    private static final ClientResources LETTUCE = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .reconnectDelay(Delay.constant(Duration.ofMillis(20)))
            .build();

    private ForeignThreads() {}

    /** The client resources of the application, for the control that shares them. */
    static ClientResources lettuce() {
        return LETTUCE;
    }

    /** Serves the lab until the JVM ends. */
    static void serve(Subject subject, String worker) {
        List<EventExecutor> all = new ArrayList<>();
        LETTUCE.eventLoopGroupProvider()
                .allocate(Transports.eventLoopGroupClass())
                .forEach(all::add);
        LETTUCE.eventExecutorGroup().forEach(all::add);
        new DefaultEventExecutorGroup(1).forEach(all::add);
        Thread thread = new Thread(() -> read(subject, worker, all), "lab-foreign-threads");
        thread.setDaemon(true);
        thread.start();
    }

    private static void read(Subject subject, String worker, List<EventExecutor> all) {
        try (BufferedReader lab = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lab.readLine(); line != null; line = lab.readLine()) {
                Duration time = Duration.ofMillis(Long.parseLong(line));
                all.forEach(thread -> thread.execute(() -> block(subject, worker, time)));
            }
        } catch (IOException e) {
            // The lab has ended.
        }
    }

    /** The lock is this worker's alone, so it is free. */
    private static void block(Subject subject, String worker, Duration time) {
        try {
            subject.acquire(LockRequest.of(
                                    "foreign:" + worker + Thread.currentThread().getId())
                            .maxWait(time))
                    .ifPresent(Subject.Held::release);
        } catch (RuntimeException | InterruptedException e) {
            // Another fault.
        }
        Section.dwell(time);
    }
}
