package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.EventLog;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Executes a schedule, each lane on its own thread, and logs the faults. A due fault is healed before the end. Mutable
 * state: {@code over}. A fault that must happen alone holds {@code quiet} exclusively.
 */
public final class Nemesis {

    private static final String NAME = "nemesis";

    /** Until a worker that is ready has been answered by each of its servers. */
    private static final Duration TO_MEET_ALL_SERVERS = Duration.ofMillis(800);

    private final Topology topology;
    private final List<Victim> victims;
    private final EventLog log;
    private final List<Thread> lanes = new ArrayList<>();
    private final ReadWriteLock quiet = new ReentrantReadWriteLock(true);
    private volatile boolean over;

    public Nemesis(Topology topology, List<Victim> victims, EventLog log) {
        this.topology = topology;
        this.victims = victims;
        this.log = log;
    }

    /**
     * Starts.
     *
     * @param faults to draw from
     * @param seed of the schedules
     */
    public void start(List<Fault> faults, FaultSchedule.Pace pace, long seed) {
        for (Fault.Lane lane : Fault.Lane.values()) {
            FaultSchedule schedule = new FaultSchedule(faults, lane, pace, seed);
            if (!schedule.isEmpty()) {
                Thread thread = new Thread(() -> run(schedule), "nemesis-" + lane);
                thread.start();
                lanes.add(thread);
            }
        }
    }

    /** Waits until current faults have ended. */
    public void stop() {
        over = true;
        try {
            for (Thread lane : lanes) {
                lane.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the last fault was healed", e);
        }
    }

    private void run(FaultSchedule schedule) {
        while (!over) {
            PlannedFault plan = schedule.next();
            sleep(plan.pause());
            Lock lock = plan.fault().terms().alone() ? quiet.writeLock() : quiet.readLock();
            lock.lock();
            try {
                if (!over) {
                    strike(plan);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private void strike(PlannedFault plan) {
        Site site = new Site(topology, victims, plan);
        String target = plan.fault().lane() == Fault.Lane.WORKER ? site.victim().name() : topology.name();
        if (plan.fault().terms().alone()) {
            victims.forEach(Victim::awaitReady);
            sleep(TO_MEET_ALL_SERVERS);
        }
        long from = System.nanoTime();
        try {
            Fault.Healing healing = plan.fault().injection().inject(site);
            sleep(plan.duration().minusNanos(System.nanoTime() - from));
            healing.heal();
        } catch (RuntimeException e) {
            log.add(LabEvent.now(EventKind.ANOMALY, NAME)
                    .noting("LAB " + plan.fault().name() + " failed: " + e));
        }
        String note = plan.fault().mark() + plan.fault().name();
        log.add(LabEvent.now(EventKind.FAULT, NAME)
                .of(target, 0)
                .between(from, System.nanoTime())
                .noting(note));
    }

    /** The time that a fault lasts, or the pause before it. */
    private static void sleep(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
