package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.redis.settings.RedisSettings;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The configuration of locks in one Redis.
 *
 * @param commandTimeout Timeout of a lock command, from 100ms to 60s.
 * @param requiredAtStart Whether startup fails if Redis does not answer. If false, locked methods fail until it does.
 * @param gracePeriod How long free locks are not granted after a failover or restart of Redis that may have lost locks;
 *     holders keep theirs. Defaults to max-lease, and must not be shorter. Must be the same for all users of a key
 *     prefix. With 0s, lost locks are granted at once, and crash takeover is disabled: for tests, and for servers that
 *     are flushed.
 * @param deposedMasterWrites How long a master may continue to execute writes after another one was promoted. No lock
 *     is renewed for that time after a failover. At most a third of every lease. No effect if grace-period is 0s.
 * @param activeActive Whether several masters accept writes and replicate each other (Active-Active, active-replica,
 *     geo-replication): true prevents startup, since each would grant the same lock. By default the server is asked.
 *     False if all instances use one master, and none fails over to another.
 * @param keyLayout Keys of locks behind a single address: standalone on one server, cluster on shards, of which a
 *     command reaches one. With auto, the first connection finds it out; otherwise startup fails if Redis has another
 *     layout. Set cluster if the server may be divided into shards later.
 * @param durable Whether failovers and restarts lose no acknowledged write, as in Amazon MemoryDB: then only lost data
 *     cause a grace period. Not for replicas that copy asynchronously.
 */
@ConfigurationProperties(prefix = RedisLockProperties.PREFIX, ignoreUnknownFields = false)
record RedisLockProperties(
        @DefaultValue("2s") Duration commandTimeout,
        @DefaultValue("true") boolean requiredAtStart,
        @Nullable Duration gracePeriod,
        @DefaultValue("0s") Duration deposedMasterWrites,
        @Nullable Boolean activeActive,
        @DefaultValue("auto") RedisSettings.KeyLayout keyLayout,
        @DefaultValue("false") boolean durable)
        implements LockBackendOption {

    static final String NAME = "redis";
    static final String PREFIX = "distributed-lock." + NAME;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean hasReaders() {
        return true;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        settings(locks);
    }

    /** @throws IllegalArgumentException if a property is invalid; names it */
    RedisSettings settings(LockSettings locks) {
        Stream.concat(Stream.of(locks.lease()), locks.leases().values().stream())
                .forEach(lease -> RedisSettings.HistoryGuard.checkDeposedMasterWrites(deposedMasterWrites, lease));
        Duration grace = gracePeriod == null ? locks.longestLease() : gracePeriod;
        RedisSettings.HistoryGuard.checkGracePeriod(grace, locks.longestLease());
        if (Boolean.TRUE.equals(activeActive)) {
            throw new IllegalArgumentException("distributed-lock.redis.active-active is true: each of several masters"
                    + " grants the same lock. Keep locks in a database with one master, or set"
                    + " distributed-lock.redis.active-active=false if all instances use one, and none fails over to"
                    + " another");
        }
        return new RedisSettings(
                locks.keyPrefix(),
                commandTimeout,
                new RedisSettings.HistoryGuard(
                        grace,
                        RedisSettings.FirstUse.GRANT,
                        deposedMasterWrites,
                        durable ? RedisSettings.Durability.DECLARED : RedisSettings.Durability.UNKNOWN),
                activeActive == null ? RedisSettings.SingleMaster.CHECKED : RedisSettings.SingleMaster.DECLARED,
                keyLayout);
    }
}
