package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.LockHolder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What holders are promised beside exclusion: the minimum time of a lock, and that it is taken away in the open. */
final class PromiseWatch {

    /** Until a holder has learnt that its lock was taken away. */
    private static final Duration LEARNT = Duration.ofMillis(250);

    private final World world;
    private final Map<String, Long> keptUntil = new HashMap<>();

    /** How many commands of operators are under way that may take the lock away. */
    private final Map<String, Integer> revocations = new HashMap<>();

    /** Since when nothing ends minimum times but the operators' commands that are under way. */
    private long undisturbedSince;

    PromiseWatch(World world) {
        this.world = world;
    }

    /** A fault begins or ends that may end the minimum time of locks. */
    void disturbed(FaultKind kind) {
        if (kind.forgets() || kind == FaultKind.REVOKE || kind == FaultKind.CLOCK_BACK) {
            disturbed();
        }
    }

    private void disturbed() {
        keptUntil.clear();
        undisturbedSince = world.time.nanos();
    }

    /** An operator takes the lock away, or what is left of its minimum time. */
    void takenAway(String key, CompletableFuture<?> revocation) {
        revocations.merge(key, 1, Integer::sum);
        disturbed();
        revocation.whenComplete((answer, failure) -> {
            revocations.merge(key, -1, Integer::sum);
            disturbed();
        });
    }

    /** A lock was released, by a command of this moment, that has a minimum time. */
    void kept(String key, long sent, long until) {
        if (sent >= undisturbedSince && revocations.getOrDefault(key, 0) == 0) {
            keptUntil.put(key, until);
        }
    }

    /** Somebody has the lock now. */
    void granted(String worker, String key) {
        if (world.time.nanos() < keptUntil.getOrDefault(key, 0L)) {
            world.anomaly("I1", worker, key, "was granted before its minimum time was over");
        }
    }

    /** A lock was taken over: the connection of its holder must have ended. */
    void takenOver(String worker, String key, LockHolder holder) {
        long looks = world.setting.takeOver().multipliedBy(2).toNanos();
        if (world.calm.isConnectedSince(world.time.nanos() - looks) && world.isAlive(holder.instance())) {
            world.anomaly("I4", worker, key, "was taken over from a connected instance");
        }
    }

    /** An operator took a lock away, by a command of this moment: its holder is told. */
    void revoked(String key, long fencingToken, long sent) {
        world.after(LEARNT, () -> world.instances.stream()
                .filter(instance -> world.calm.isSince(sent) && instance.process.isRunning())
                .filter(instance -> instance.sections.stream().anyMatch(section -> section.holds(key, fencingToken)))
                .forEach(instance -> world.anomaly("I6", instance.name, key, "has not learnt that it was taken away")));
    }
}
