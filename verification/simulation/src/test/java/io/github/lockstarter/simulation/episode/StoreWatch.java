package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.simulation.redis.SimRedis;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares the locks and queues on the master with the holds and waiters of the instances, repeatedly while callers
 * work. Without a fault or its aftermath, each lock has a holder, each place in a queue has a waiter, and no waiter
 * sleeps while its lock is free.
 */
final class StoreWatch {

    private static final Duration LOOK = Duration.ofMillis(20);

    /** Time until leftovers are removed: releases are repeated once a second, or after the elapsed time has doubled. */
    private static final Duration TIDY = Duration.ofMillis(1_500);

    private static final String SLEEPS = "a waiter sleeps though the lock is free";

    private static final Pattern OWNER = Pattern.compile("(\\d+)[^ ]* ([0-9a-f]+):\\d+.*?(\\|\\d+\\+?)?");

    private final World world;
    private final Map<String, Long> since = new HashMap<>();
    private final Map<String, Long> freeSince = new HashMap<>();
    private boolean ended;

    StoreWatch(World world) {
        this.world = world;
    }

    void begin() {
        look();
    }

    void end() {
        ended = true;
    }

    /** The lock was granted, perhaps only until the next check. */
    void granted(String key) {
        freeSince.remove(key);
        since.remove(id(key, SLEEPS));
    }

    /** Since when the lock has been free; now, if it was not at the last look. */
    long freeSince(String key) {
        return freeSince.getOrDefault(key, world.time.nanos());
    }

    private static String id(String key, String what) {
        return key + ' ' + what;
    }

    private void look() {
        if (ended) {
            return;
        }
        noteFree();
        if (world.setting.permits() > 1) {
            findSecondSlots();
        }
        if (world.calm.isNow() && world.servers.master().process().isRunning()) {
            world.slots().forEach(this::look);
        } else {
            since.clear();
        }
        world.after(LOOK, this::look);
    }

    /** Whatever is wrong, a token has one slot at most. */
    private void findSecondSlots() {
        Set<String> seen = new HashSet<>();
        for (String key : world.slots()) {
            world.servers
                    .master()
                    .redis
                    .text(World.entry(key))
                    .map(owner -> owner.substring(owner.indexOf(' ') + 1))
                    .filter(token -> token.indexOf(':') > 0 && !seen.add(LabEvent.lockOf(key) + ' ' + token))
                    .ifPresent(token -> world.anomaly("I3", "", key, token + " has a second slot"));
        }
    }

    private void noteFree() {
        Set<String> stored = world.servers.master().redis.keys().keySet();
        for (String key : world.slots()) {
            if (stored.contains(World.entry(key))) {
                freeSince.remove(key);
            } else {
                freeSince.putIfAbsent(key, world.time.nanos());
            }
        }
    }

    private void look(String key) {
        SimRedis master = world.servers.master().redis;
        Optional<String> owner = master.text(World.entry(key));
        owner.filter(each -> !each.contains("(detached)")) // may be a ticket's
                .map(OWNER::matcher)
                .filter(Matcher::matches)
                .ifPresent(parts -> look(key, parts));
        boolean signalled = world.calm.queuedAt() <= freeSince.getOrDefault(key, Long.MIN_VALUE);
        Map<String, Double> queue = master.scores(World.entry(LabEvent.lockOf(key)) + ":waiters");
        report("I5", key, SLEEPS, signalled && isQueued(key, queue.keySet()), world.longestFree(key));
        if (!world.isClockStepped() && World.slotOf(key) == 0) {
            queue.forEach((id, place) -> look(key, id, place));
        }
    }

    private void look(String key, Matcher owner) {
        boolean left = world.running(owner.group(2))
                .filter(instance -> instance.sections.stream().noneMatch(section -> section.isOf(key)))
                .filter(instance -> instance.waiting().stream().noneMatch(caller -> caller.isOneOfSeveral(key)))
                .isPresent();
        report("I8", key, "no instance has the lock of " + owner.group(), left, tidy());
        boolean abandoned = owner.group(3) != null && world.isDead(owner.group(2)) && world.isWanted(key, any -> true);
        report("I5", key, "no instance takes over the lock of " + owner.group(), abandoned, takeover());
    }

    /**
     * Only a place that was taken since nothing is wrong: a command of unknown outcome may leave an earlier one, which
     * costs one signal that the instance passes on.
     */
    private void look(String key, String instanceId, double place) {
        long placedAt = world.nanosOf((long) place);
        boolean left = world.calm.isSince(placedAt)
                && world.running(instanceId)
                        .filter(instance -> instance.waiting().stream()
                                .noneMatch(caller -> caller.wanted().contains(key)))
                        .isPresent();
        report(
                "I8",
                key,
                "no instance has the place in the queue of " + instanceId + " from " + (long) place,
                left,
                tidy());
    }

    /**
     * Whether an instance waits that a release signals: all waiters have attempted since the last fault, and no late
     * withdrawal has removed its place.
     */
    private boolean isQueued(String key, Set<String> queue) {
        String lock = LabEvent.lockOf(key);
        Set<Instance> unqueued = world.lateWithdrawals.instancesWithoutPlace(lock, queue);
        return world.isWanted(key, instance -> !unqueued.contains(instance))
                && world.instances.stream()
                        .flatMap(instance -> instance.waiting().stream())
                        .filter(caller -> caller.wanted().contains(lock))
                        .allMatch(caller -> caller.waitsSince() > world.calm.queuedAt());
    }

    /** Beats look four times in a takeover time, once they look at all. */
    private Duration takeover() {
        return world.setting.takeover().multipliedBy(2).plus(TIDY);
    }

    private Duration tidy() {
        return world.setting.commandTimeout().multipliedBy(2).plus(TIDY);
    }

    private void report(String invariant, String key, String what, boolean so, Duration longest) {
        String id = id(key, what);
        if (!so) {
            since.remove(id);
        } else if (world.time.nanos() - since.computeIfAbsent(id, unseen -> world.time.nanos()) > longest.toNanos()) {
            world.anomaly(invariant, "", key, what + " for more than " + longest.toMillis() + " ms");
            since.put(id, Long.MAX_VALUE);
        }
    }

    /** Whether the store has the lock with this newest fencing token. */
    boolean isHeldBy(String key, long fencingToken) {
        return world.servers
                .master()
                .redis
                .text(World.entry(key))
                .map(OWNER::matcher)
                .filter(owner -> owner.matches() && Long.parseLong(owner.group(1)) == fencingToken)
                .isPresent();
    }
}
