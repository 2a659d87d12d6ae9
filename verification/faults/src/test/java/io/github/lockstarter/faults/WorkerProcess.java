package io.github.lockstarter.faults;

import io.github.lockstarter.faults.nemesis.Victim;
import io.github.lockstarter.faults.topology.Topology.Link;
import io.github.lockstarter.faults.worker.WorkerMain;
import io.github.lockstarter.faults.worker.WorkerOptions;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.EventLog;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.kit.net.TcpProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A worker over all its incarnations, with its links. Used by the lab and, between its start and the nemesis' end, by
 * one lane of that.
 */
final class WorkerProcess implements Victim, AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);

    /** Of every second worker. */
    static final Path NEWER_JDK = Jdks.atLeast(25).orElse(Jdks.own());

    private final String baseName;
    private final Path jdk;
    private final Link link;
    private final LabPlan plan;
    private final int resourcePort;
    private final Path directory;
    private final EventLog log;
    private int incarnation = 1;
    private long seed;
    private volatile ChildJvm jvm;

    WorkerProcess(int number, Link link, LabPlan plan, int resourcePort, Path directory, EventLog log) {
        this.baseName = "w" + number;
        this.jdk = number % 2 == 0 ? NEWER_JDK : Jdks.own();
        this.link = link;
        this.plan = plan;
        this.resourcePort = resourcePort;
        this.directory = directory;
        this.log = log;
        this.jvm = launch(ownSeed());
    }

    @Override
    public String name() {
        return baseName + '.' + incarnation;
    }

    @Override
    public List<TcpProxy> links() {
        return link.proxies();
    }

    @Override
    public void kill() {
        long before = System.nanoTime();
        jvm.kill();
        log.add(LabEvent.now(EventKind.KILLED, name()).between(before, System.nanoTime()));
        jvm.close();
    }

    @Override
    public void pause() {
        jvm.pause();
    }

    @Override
    public void resume() {
        jvm.resume();
    }

    @Override
    public void blockForeignThread(long millis) {
        jvm.send(Long.toString(millis));
    }

    @Override
    public void revive() {
        incarnation++;
        jvm = launch(ownSeed());
    }

    @Override
    public void reviveAsCloneOf(Victim original) {
        incarnation++;
        jvm = launch(original.seed());
        awaitReady();
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public void awaitReady() {
        jvm.awaitLine(WorkerMain.READY::equals, START);
    }

    /** Waits for the orderly end of a worker that was asked to stop. */
    void awaitDone(Duration limit) {
        try {
            jvm.awaitLine(WorkerMain.DONE::equals, limit);
        } catch (AssertionError e) {
            log.add(LabEvent.now(EventKind.ANOMALY, name()).noting("I5 does not end: " + e.getMessage()));
        }
    }

    private long ownSeed() {
        return plan.seed() + 31L * baseName.hashCode() + incarnation;
    }

    private ChildJvm launch(long newSeed) {
        seed = newSeed;
        WorkerOptions options = new WorkerOptions(
                name(),
                link.address(),
                resourcePort,
                directory.resolve(name() + ".ndjson"),
                seed,
                plan.setup(),
                plan.load());
        return ChildJvm.start(jdk, ChildJvm.SMALL, WorkerMain.class, options.toArguments());
    }

    @Override
    public void close() {
        jvm.close();
        link.proxies().forEach(TcpProxy::close);
    }
}
