package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.simulation.redis.SimRedis;
import java.util.Optional;

/**
 * A lock that is free on the master until the next grant.
 *
 * @param master the server
 * @param changes number of changes of its entry when it was found free
 */
record FreeLock(SimRedis master, String key, long changes) {

    /** Empty if the lock is not free, or a master that was deposed may grant it. */
    static Optional<FreeLock> of(World world, String key) {
        SimRedis master = world.servers.master().redis;
        String entry = World.entry(key);
        boolean alone = world.servers.replicas().stream()
                .allMatch(server -> server.process().isDead() || world.servers.follows(server));
        return !alone || master.keys().containsKey(entry)
                ? Optional.empty()
                : Optional.of(new FreeLock(master, key, master.changes(entry)));
    }

    /** Whether it has been free all the time. */
    boolean isStill(World world) {
        return world.servers.master().redis == master && master.changes(World.entry(key)) == changes;
    }
}
