package io.github.lockstarter.faults;

import io.github.lockstarter.faults.nemesis.Nemesis;
import io.github.lockstarter.faults.nemesis.Victim;
import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.faults.worker.ResourceStore;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.EventLog;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.kit.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Runs one session: servers, workers, nemesis, an orderly end, a search for leftovers, and the checks. */
final class FaultLab {

    private static final Duration UNTIL_WORKERS_END = Duration.ofMinutes(2);

    private final LabPlan plan;
    private final List<WorkerProcess> workers = new ArrayList<>();

    private FaultLab(LabPlan plan) {
        this.plan = plan;
    }

    /**
     * Runs a session.
     *
     * @param directory of the event logs; logs without violations are removed
     */
    static LabResult run(LabPlan plan, Path directory) {
        return new FaultLab(plan).run(directory);
    }

    private LabResult run(Path directory) {
        long start = System.nanoTime();
        if (Files.exists(directory)) {
            remove(directory); // of a session with the same seed, whose events are not this one's
        }
        try (Topology topology = plan.topology().get();
                RedisServer resource = RedisServer.start();
                EventLog log = new EventLog(Files.createDirectories(directory).resolve("lab.ndjson"))) {
            System.out.println("Fault lab: " + topology.name() + ", seed " + plan.seed());
            try {
                startWorkers(topology, resource, directory, log);
                unleash(topology, log);
                resource.commands().set(ResourceStore.ENOUGH, "yes");
                workers.forEach(worker -> worker.awaitDone(UNTIL_WORKERS_END));
            } finally {
                workers.forEach(WorkerProcess::close);
            }
            Leftovers.of(topology, plan.setup().longestLease())
                    .forEach(left -> log.add(
                            LabEvent.now(EventKind.ANOMALY, topology.name()).noting("I8 " + left)));
            ResourceNumbers.of(resource).forEach(log::add);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            LabResult result = LabResult.of(topology.name(), plan, took, EventLog.read(directory));
            if (result.violations().isEmpty()) {
                remove(directory);
            }
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not keep the event logs", e);
        }
    }

    private void startWorkers(Topology topology, RedisServer resource, Path directory, EventLog log) {
        for (int i = 1; i <= plan.workers(); i++) {
            workers.add(new WorkerProcess(i, topology.link(), plan, resource.port(), directory, log));
        }
        workers.forEach(WorkerProcess::awaitReady);
    }

    private void unleash(Topology topology, EventLog log) {
        Nemesis nemesis = new Nemesis(topology, List.<Victim>copyOf(workers), log);
        nemesis.start(plan.faults().apply(topology), plan.pace(), plan.seed());
        long end = System.nanoTime() + plan.duration().toNanos();
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        nemesis.stop();
        workers.forEach(WorkerProcess::awaitReady); // one may just have been revived
    }

    private static void remove(Path directory) {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not remove the event logs in " + directory, e);
        }
    }
}
