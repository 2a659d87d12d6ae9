package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.kit.check.CheckSuite;
import io.github.lockstarter.kit.check.History;
import io.github.lockstarter.kit.check.Violation;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import io.github.lockstarter.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a plan: faults for a while, then a time in which all that they left behind has to end, then a quiet time, in
 * which no waiter sleeps while its lock is free. At the end, all callers have been answered, and nothing is left.
 */
public final class Episode {

    /** When it begins. */
    static final long BEGIN = VirtualTime.BEGIN;

    private static final Duration QUIET = Duration.ofMillis(800);
    private static final Duration LOOK = Duration.ofMillis(10);

    /** The last holders and waiters end in this time. */
    private static final Duration LAST_SECTIONS = Duration.ofSeconds(30);

    private static final Duration STOP = Duration.ofSeconds(2);

    /** Longer than a place in a queue is kept for a waiter that no longer attempts. */
    private static final Duration UNTIL_ALL_IS_FORGOTTEN = Duration.ofSeconds(400);

    private final World world;
    private final Map<String, Long> freeSince = new HashMap<>();
    private final List<FaultKind> begun = new ArrayList<>();

    private Episode(Plan plan, LuaInterpreter lua) {
        this.world = new World(plan, lua);
    }

    /**
     * Result of a run.
     *
     * @param events the log, by time
     * @param faults that occurred
     * @param attached tickets by which an instance got the lock
     * @param violations of any invariant, by time
     */
    public record Outcome(
            Plan plan, List<LabEvent> events, List<FaultKind> faults, int attached, List<Violation> violations) {

        /** How many locks were granted to callers. */
        public long grants() {
            return events.stream()
                    .filter(event -> event.kind() == EventKind.ACQUIRED)
                    .count();
        }
    }

    /** Runs a plan. */
    public static Outcome run(Plan plan, LuaInterpreter lua) {
        return new Episode(plan, lua).run();
    }

    private Outcome run() {
        for (int place = 0; place < world.setting.instances(); place++) {
            world.instances.add(new Instance(world, place, 1));
        }
        world.instances.forEach(instance -> instance.serve(world.plan.callers()));
        Duration healed = world.setting.faulty();
        for (Plan.PlannedFault fault : world.plan.faults()) {
            world.after(fault.at(), () -> begin(fault));
            Duration end = fault.at().plus(fault.lasts());
            healed = healed.compareTo(end) > 0 ? healed : end;
        }
        for (int i = 0; i < world.setting.keys(); i++) {
            world.write(world.event(EventKind.PERMITS, "plan").of("k" + i, 0).counting(world.setting.permits()));
        }
        world.watch.begin();
        world.after(healed, world::healed);
        pass(world.plan.faults().isEmpty() ? healed : healed.plus(world.setting.aftermath()));
        watch(QUIET);
        world.end();
        watch(LAST_SECTIONS.plus(world.setting.maxRetryDelay()));
        reportWaiters();
        world.watch.end();
        world.instances.forEach(instance -> instance.stop(STOP));
        pass(STOP.plus(UNTIL_ALL_IS_FORGOTTEN));
        reportLeftovers();
        world.resource.report(world);
        return outcome();
    }

    private Outcome outcome() {
        List<LabEvent> events = world.log().stream()
                .sorted(Comparator.comparingLong(LabEvent::at))
                .toList();
        return new Outcome(
                world.plan,
                events,
                List.copyOf(begun),
                world.tickets.attached(),
                CheckSuite.violations(new History(events)));
    }

    private void begin(Plan.PlannedFault fault) {
        long from = world.time.nanos();
        fault.kind().begin(world, fault).ifPresent(strike -> {
            begun.add(fault.kind());
            world.calm.struck(fault.kind());
            world.promises.disturbed(fault.kind());
            world.after(fault.lasts(), () -> {
                strike.healing().run();
                world.calm.healed(fault);
                world.promises.disturbed(fault.kind());
                world.write(world.event(EventKind.FAULT, "nemesis")
                        .of(strike.target(), 0)
                        .between(from, world.time.nanos())
                        .noting(fault.kind().note()));
            });
        });
    }

    private void pass(Duration duration) {
        world.time.runUntil(world.time.nanos() + duration.toNanos());
    }

    /** Looks for waiters that sleep while their lock is free; ends early once the callers have ended. */
    private void watch(Duration duration) {
        long end = world.time.nanos() + duration.toNanos();
        freeSince.clear();
        while (world.time.nanos() < end
                && (!world.isEnding() || world.instances.stream().anyMatch(Instance::isBusy))) {
            pass(LOOK);
            look();
        }
    }

    private void look() {
        for (String key : world.slots()) {
            boolean wanted = world.isWanted(key, any -> true);
            boolean unlocked = !world.servers.master().redis.keys().containsKey(World.entry(key));
            if (!wanted || !unlocked || world.setting.isSignalsOnly()) {
                freeSince.remove(key);
                continue;
            }
            long since = freeSince.computeIfAbsent(key, free -> world.time.nanos());
            since = Math.max(since, world.watch.freeSince(key));
            if (world.time.nanos() - since > world.longestFree(key).toNanos()) {
                world.anomaly("I5", "", key, "a waiter sleeps though the lock is free");
                freeSince.put(key, Long.MAX_VALUE);
            }
        }
    }

    private void reportWaiters() {
        world.instances.forEach(instance -> instance.waiting()
                .forEach(caller -> world.anomaly(
                        "I5", instance.name, caller.wanted().get(0), "waits forever for " + caller.wanted())));
    }

    private void reportLeftovers() {
        world.instances.stream()
                .filter(instance -> !instance.process.isDead())
                .forEach(instance -> world.anomaly("I8", instance.name, "", "does not stop"));
        world.servers.master().redis.keys().keySet().stream()
                .filter(key -> !key.startsWith("lock:history") && !key.equals("lock:fence"))
                .forEach(key -> world.anomaly("I8", "", "", "the server still has " + key));
    }
}
