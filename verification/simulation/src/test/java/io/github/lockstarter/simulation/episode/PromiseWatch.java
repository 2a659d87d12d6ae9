package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.LockHolder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Promises to holders besides exclusion: the minimum hold of a lock, and the notification of revocations. */
final class PromiseWatch {

    /** Time for a holder to detect a revocation. */
    private static final Duration LEARNT = Duration.ofMillis(250);

    private final World world;
    private final Map<String, Long> keptUntil = new HashMap<>();

    /** When an operator last took the lock away. */
    private final Map<String, Long> takenAwayAt = new HashMap<>();

    /** Since when nothing but operators ends minimum holds. */
    private long undisturbedSince;

    PromiseWatch(World world) {
        this.world = world;
    }

    /** A fault begins or ends that may end the minimum hold of locks. */
    void disturbed(FaultKind kind) {
        if (kind.forgets() || kind == FaultKind.CLOCK_BACK) {
            keptUntil.clear();
            undisturbedSince = world.time.nanos();
        }
    }

    /** A server revokes the lock for an operator, or ends the rest of its minimum hold. */
    void takenAway(String key) {
        keptUntil.remove(key);
        takenAwayAt.put(key, world.time.nanos());
    }

    /** A lock was released, by a command of this moment, that has a minimum hold. */
    void kept(String key, long sent, long until) {
        if (sent >= Math.max(undisturbedSince, takenAwayAt.getOrDefault(key, 0L))) {
            keptUntil.put(key, until);
        }
    }

    /** The lock was granted. */
    void granted(String worker, String key) {
        if (world.time.nanos() < keptUntil.getOrDefault(key, 0L)) {
            world.anomaly("I1", worker, key, "was granted before its minimum hold was over");
        }
    }

    /** A lock was taken over: the connection of its holder must have ended. */
    void takenOver(String worker, String key, LockHolder holder) {
        long looks = world.setting.takeover().multipliedBy(2).toNanos();
        if (world.calm.isConnectedSince(world.time.nanos() - looks) && world.isAlive(holder.instance())) {
            world.anomaly("I4", worker, key, "was taken over from a connected instance");
        }
    }

    /** An operator revoked a lock by a command sent at this time; its holder is notified. */
    void revoked(String key, long fencingToken, long sent) {
        world.after(LEARNT, () -> world.instances.stream()
                .filter(instance -> world.calm.isSince(sent) && instance.process.isRunning())
                .filter(instance -> instance.sections.stream().anyMatch(section -> section.holds(key, fencingToken)))
                .forEach(instance -> world.anomaly("I6", instance.name, key, "has not learnt that it was taken away")));
    }
}
