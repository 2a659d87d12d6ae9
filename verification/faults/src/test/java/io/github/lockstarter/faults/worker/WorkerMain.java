package io.github.lockstarter.faults.worker;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.faults.worker.WorkerLoop.Duties;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.EventLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A worker: acquires locks on many threads until the resource says that it is enough, then ends in an orderly way.
 * Prints {@code ready} and {@code done}.
 */
public final class WorkerMain {

    /** Printed when the threads are about to start. */
    public static final String READY = "ready";

    /** Printed after an orderly end. */
    public static final String DONE = "done";

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);
    private static final int THREADS_FOR_OTHERS = 4;

    private WorkerMain() {}

    /** Runs a worker with the arguments of {@link WorkerOptions#toArguments}. */
    public static void main(String... arguments) throws InterruptedException {
        WorkerOptions options = WorkerOptions.parse(arguments);
        Journal journal = new Journal(new EventLog(options.log()), options.name());
        StallWatch.start(journal);
        try (ResourceStore resource = new ResourceStore(options.resourcePort())) {
            Subject subject = subject(options, journal);
            warmUp(subject, options);
            journal.write(journal.event(EventKind.STARTED)
                    .counting(options.subject().lease().toNanos())
                    .noting(options.subject().client().name()));
            subject.describeStore();
            ForeignThreads.serve(subject, options.name());
            System.out.println(READY);
            runThreads(options, subject, resource, journal);
            subject.close();
            journal.write(journal.event(EventKind.ENDED));
        }
        System.out.println(DONE);
        System.exit(0); // threads that a client leaves running must not keep the JVM alive
    }

    private static Subject subject(WorkerOptions options, Journal journal) {
        return switch (options.subject().client()) {
            case STARTER -> new EngineSubject(options, journal);
            case REDISSON ->
                new RedissonSubject(options.address(), options.subject().lease());
            case NONE -> new NoLockSubject(options.subject().lease());
        };
    }

    /** A new JVM takes its time to connect, and a fault may be under way. */
    private static void warmUp(Subject subject, WorkerOptions options) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            try {
                subject.acquire(LockRequest.of("warm-up:" + options.name()).maxWait(Duration.ofSeconds(1)))
                        .ifPresent(Subject.Held::release);
                return;
            } catch (RuntimeException e) {
                Section.dwell(BETWEEN_LOOKS);
            }
        }
    }

    private static void runThreads(WorkerOptions options, Subject subject, ResourceStore resource, Journal journal)
            throws InterruptedException {
        ScheduledExecutorService others = Executors.newScheduledThreadPool(THREADS_FOR_OTHERS);
        Section section = new Section(journal, resource, options.subject());
        SplittableRandom seeds = new SplittableRandom(options.seed());
        AtomicBoolean enough = new AtomicBoolean();
        List<WorkerLoop> workloads = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < options.load().threads(); i++) {
            WorkerLoop workload = new WorkerLoop(options, subject, section, journal, new Duties(seeds.split(), others));
            workloads.add(workload);
            Thread thread = new Thread(() -> repeat(workload, enough, journal), "lab-" + i);
            thread.start();
            threads.add(thread);
        }
        while (!resource.isEnough()) {
            Section.dwell(BETWEEN_LOOKS);
            workloads.forEach(WorkerLoop::isStuck);
        }
        enough.set(true);
        for (Thread thread : threads) {
            thread.join(Duration.ofSeconds(30).toMillis());
            if (thread.isAlive()) {
                journal.anomaly("I5", "", 0, "a caller never returned: " + List.of(thread.getStackTrace()));
            }
        }
        others.shutdownNow();
    }

    private static void repeat(WorkerLoop workload, AtomicBoolean enough, Journal journal) {
        try {
            while (!enough.get()) {
                workload.step();
            }
        } catch (RuntimeException | Error e) {
            journal.anomaly("LAB", "", 0, "a thread of the worker ended: " + e);
        }
    }
}
