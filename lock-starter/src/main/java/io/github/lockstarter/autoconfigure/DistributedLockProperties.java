package io.github.lockstarter.autoconfigure;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.observe.tracing.LockObservationConvention.KeyDisplay;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redlock.RedlockSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The configuration of an application's locks. Ranges are checked when the properties are bound, so that a bad value
 * fails the start with the property's name; so does a property that does not exist, such as a mistyped one. No
 * component of a record may be called wait, so it is named apart, for the configuration and for the endpoint {@code
 * configprops}.
 *
 * @param enabled Whether locks are available. If false, nothing is configured, and an application that still uses the
 *     annotation does not start, since it would run unlocked.
 * @param backend Where locks are kept, unless their name has a backend of its own.
 * @param keyPrefix First part of every Redis key and channel of a lock. Applications that share locks share it.
 * @param lease How long a lock outlives a crashed holder. Renewed while the holder is alive.
 * @param maxLease Longest lease that a request, an annotation or a per-name setting may have. Defaults to the lease.
 * @param maxWait Longest time a caller waits for a lock that another owner holds. Zero makes one attempt.
 * @param warnAfter How long a lock may be held before a warning shows what its holder is doing. Zero disables the
 *     warning.
 * @param showOwner Whether the store keeps thread and time of each lock, which other instances then show in their
 *     exceptions and endpoints. If false, it keeps only the instance.
 * @param onLost What a locked method does when its body ended normally but the lock was lost meanwhile.
 * @param order Position of the lock among the advices of a bean. The default wraps transactions, so that a lock is
 *     released after the commit.
 * @param retry How a waiter retries when no signal arrives.
 * @param watchdog Renewal of the leases of held locks.
 * @param handOver Passing a lock on to a waiter of the same instance, without asking Redis.
 * @param observation Observations of locks, which a tracer turns into spans.
 * @param log What the lock client adds to the log.
 * @param redis Settings of the Redis backend.
 * @param redlock Settings of the Redlock backend: a quorum of independent Redis servers.
 * @param locks Settings of single locks by their name. A name with characters other than lower-case letters, digits and
 *     dashes is written in brackets, such as distributed-lock.locks.[OrderService.ship].lease.
 */
@ConfigurationProperties(prefix = DistributedLockProperties.PREFIX, ignoreUnknownFields = false)
record DistributedLockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("redis") Backend backend,
        @DefaultValue("lock:") String keyPrefix,
        @DefaultValue("30s") Duration lease,
        @Nullable Duration maxLease,

        @Name("wait") @JsonProperty("wait") @DefaultValue("5s")
        Duration maxWait,

        @DefaultValue("1m") Duration warnAfter,
        @DefaultValue("true") boolean showOwner,
        @DefaultValue("throw") OnLost onLost,
        @DefaultValue(DEFAULT_ORDER) int order,
        @DefaultValue Retry retry,
        @DefaultValue Watchdog watchdog,
        @DefaultValue HandOver handOver,
        @DefaultValue Observation observation,
        @DefaultValue Log log,
        @DefaultValue Redis redis,
        @DefaultValue Redlock redlock,
        @DefaultValue Map<String, Named> locks) {

    static final String PREFIX = "distributed-lock";

    /** {@code Ordered.LOWEST_PRECEDENCE - 1000}. */
    private static final String DEFAULT_ORDER = "2147482647";

    DistributedLockProperties {
        locks = Map.copyOf(locks);
        settings(lease, maxLease, maxWait, warnAfter, retry, watchdog, handOver, locks);
        settings(keyPrefix, lease, maxLease, redis, locks);
        RedlockRules.check(redlock, routes(backend, locks), lease, locks);
    }

    /** Which backend keeps what. */
    BackendRoutes routes() {
        return routes(backend, locks);
    }

    /** What the servers of a quorum have in common. */
    RedlockSettings redlockSettings() {
        return new RedlockSettings(redlock.nodeTimeout, longestLease());
    }

    /**
     * How each server of a quorum is used. A server that seems never used may have been emptied before this instance
     * started: it votes after the grace.
     */
    RedisSettings redlockNodeSettings() {
        return new RedisSettings(
                keyPrefix,
                redlock.nodeTimeout,
                new RedisSettings.Guard(
                        RedisSettings.OnHistoryChange.GRACE,
                        RedisSettings.FirstUse.GRACE,
                        longestLease(),
                        Duration.ZERO));
    }

    private Duration longestLease() {
        return maxLease == null ? lease : maxLease;
    }

    /**
     * Checks a request against all that is configured.
     *
     * @throws IllegalArgumentException when it cannot be granted as it is; the message says what to change
     */
    void validate(LockRequest request) {
        engineSettings().validate(request);
        routes().check(request);
        request.lease().ifPresent(asked -> request.keys().stream()
                .filter(key -> routes().of(key) == Backend.REDLOCK)
                .forEach(key -> RedlockRules.checkLease("the lease of lock '" + key + "'", asked, redlock)));
    }

    /** How long a request waits. */
    Duration waitOf(LockRequest request) {
        Named named = locks.get(request.name());
        return request.maxWait().orElse(named == null || named.maxWait == null ? maxWait : named.maxWait);
    }

    private static BackendRoutes routes(Backend usual, Map<String, Named> locks) {
        Map<String, Backend> byName = new HashMap<>();
        locks.forEach((name, named) -> {
            if (named.backend != null) {
                byName.put(name, named.backend);
            }
        });
        return BackendRoutes.of(usual, byName);
    }

    EngineSettings engineSettings() {
        EngineSettings settings = settings(lease, maxLease, maxWait, warnAfter, retry, watchdog, handOver, locks);
        return showOwner ? settings : settings.withoutOwner();
    }

    RedisSettings redisSettings() {
        return settings(keyPrefix, lease, maxLease, redis, locks);
    }

    private static RedisSettings settings(
            String keyPrefix, Duration lease, @Nullable Duration maxLease, Redis redis, Map<String, Named> locks) {
        RedisSettings.Guard.checkDeposedMasterWrites(redis.deposedMasterWrites, lease);
        locks.values().forEach(named -> {
            if (named.lease != null) {
                RedisSettings.Guard.checkDeposedMasterWrites(redis.deposedMasterWrites, named.lease);
            }
        });
        return new RedisSettings(
                keyPrefix,
                redis.commandTimeout,
                new RedisSettings.Guard(
                        redis.onHistoryChange,
                        redis.firstUse,
                        maxLease == null ? lease : maxLease,
                        redis.deposedMasterWrites),
                redis.minReplicas);
    }

    private static EngineSettings settings(
            Duration lease,
            @Nullable Duration maxLease,
            Duration maxWait,
            Duration warnAfter,
            Retry retry,
            Watchdog watchdog,
            HandOver handOver,
            Map<String, Named> locks) {
        EngineSettings settings = new EngineSettings(
                lease,
                maxLease == null ? lease : maxLease,
                maxWait,
                new EngineSettings.Retry(retry.initialDelay, retry.multiplier, retry.maxDelay, retry.jitter),
                new EngineSettings.Watchdog(watchdog.enabled, Optional.ofNullable(watchdog.maxHold)),
                new EngineSettings.HandOver(handOver.max, handOver.maxTime),
                locks.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue()
                        .overrides())));
        return settings.withWarnAfter(warnAfter);
    }

    /** Where locks are kept. */
    enum Backend {
        /** In the Redis of spring.data.redis. */
        REDIS,
        /** In a quorum of the independent servers of distributed-lock.redlock.nodes. */
        REDLOCK,
        /** In this JVM only, for tests: locks do not exclude other instances. */
        LOCAL
    }

    /**
     * Retries of a waiter that no signal wakes: exponential backoff.
     *
     * @param initialDelay First delay between two attempts of a waiter that no signal wakes.
     * @param multiplier Growth from one delay to the next.
     * @param maxDelay Longest delay.
     * @param jitter Share of each delay that is random, from 0 to 1.
     */
    record Retry(
            @DefaultValue("100ms") Duration initialDelay,
            @DefaultValue("2.0") double multiplier,
            @DefaultValue("1s") Duration maxDelay,
            @DefaultValue("0.2") double jitter) {}

    /**
     * Renewal.
     *
     * @param enabled Whether the leases of held locks are renewed, unless the annotation or the per-name setting says
     *     otherwise.
     * @param maxHold How long after its grant a lock is still renewed. Unbounded unless set.
     */
    record Watchdog(
            @DefaultValue("true") boolean enabled, @Nullable Duration maxHold) {}

    /**
     * Hand-over while other instances wait for the lock.
     *
     * @param max How many times in a row an instance passes a lock on among its own waiters while another instance
     *     waits for it, up to 64. Zero never passes a lock on.
     * @param maxTime How long an instance passes a lock on among its own waiters, from when another instance is known
     *     to wait for it.
     */
    record HandOver(
            @DefaultValue("16") int max,
            @DefaultValue("50ms") Duration maxTime) {}

    /**
     * Observations.
     *
     * @param enabled Whether acquisitions and what runs under locks are observed. If unset, they are observed if
     *     Micrometer Tracing is on the class path.
     * @param key How a span shows the lock's key.
     */
    record Observation(
            @Nullable Boolean enabled,
            @DefaultValue("hashed") KeyDisplay key) {}

    /**
     * The log.
     *
     * @param mdc Whether each log line that is written under a lock has its key, name and fencing token, as the
     *     diagnostic context lock.held.key, lock.held.name and lock.held.fencingToken.
     */
    record Log(@DefaultValue("false") boolean mdc) {}

    /**
     * The Redis backend.
     *
     * @param commandTimeout How long the client waits for the reply of Redis to one lock command: 100ms to 60s.
     * @param requiredAtStart Whether the application fails to start when Redis does not answer. If false, locked
     *     methods fail until it does.
     * @param onHistoryChange What happens after a failover or a restart of Redis that may have forgotten locks. With
     *     grace, holders keep their locks, and free ones are granted when every lease from before is over: after
     *     max-lease, which must be the same for all users of a key prefix. With none, free locks are granted at once,
     *     including forgotten ones.
     * @param firstUse What an instance does on its first reply from a Redis that shows no trace of a granted lock. With
     *     grant, the instance treats this Redis as new. With grace, it treats this Redis as one that lost its data.
     * @param deposedMasterWrites How long a master may continue to execute writes after another one was promoted. After
     *     a failover, no lock is renewed for that long. At most a third of every lease.
     * @param minReplicas How many replicas must have acknowledged a grant before the caller gets the lock, up to 16. If
     *     fewer do so within half of the command timeout, the lock is released and the call fails. Zero waits for no
     *     replica.
     */
    record Redis(
            @DefaultValue("2s") Duration commandTimeout,
            @DefaultValue("true") boolean requiredAtStart,
            @DefaultValue("grace") RedisSettings.OnHistoryChange onHistoryChange,
            @DefaultValue("grant") RedisSettings.FirstUse firstUse,
            @DefaultValue("0s") Duration deposedMasterWrites,
            @DefaultValue("0") int minReplicas) {}

    /**
     * The Redlock backend.
     *
     * @param nodes Addresses of the servers that decide by a majority: three or more, preferably five, each host:port
     *     or redis://user:password@host:port, with rediss for TLS. They stand alone: no server replicates another one.
     * @param nodeTimeout How long the client waits for the reply of one server, and for a connection to it: from 100ms
     *     to a quarter of every lease.
     * @param username User for the servers whose address has no login.
     * @param password Password for the servers whose address has no login.
     * @param sslBundle SSL bundle for the connections to all servers. Turns TLS on.
     */
    record Redlock(
            @DefaultValue List<String> nodes,
            @DefaultValue("500ms") Duration nodeTimeout,
            @Nullable String username,
            @Nullable String password,
            @Nullable String sslBundle) {

        Redlock {
            nodes = List.copyOf(nodes);
        }

        List<RedlockNode> servers() {
            return nodes.stream()
                    .map(entry -> RedlockNode.parse(entry, sslBundle != null))
                    .toList();
        }

        /** Without passwords. */
        @Override
        public String toString() {
            return "Redlock[" + nodes.size() + " nodes]";
        }
    }

    /**
     * Settings of one logical lock name.
     *
     * @param backend Where locks are kept if their key is this name or begins with it and a colon, instead of
     *     distributed-lock.backend.
     * @param lease Lease instead of distributed-lock.lease.
     * @param maxWait Wait instead of distributed-lock.wait.
     * @param renewal Renewal instead of distributed-lock.watchdog.enabled.
     * @param warnAfter Time until the warning instead of distributed-lock.warn-after. Zero disables the warning.
     */
    record Named(
            @Nullable Backend backend,
            @Nullable Duration lease,
            @Name("wait") @JsonProperty("wait") @Nullable Duration maxWait,
            @Nullable Boolean renewal,
            @Nullable Duration warnAfter) {

        EngineSettings.Overrides overrides() {
            return new EngineSettings.Overrides(
                    Optional.ofNullable(lease),
                    Optional.ofNullable(maxWait),
                    Optional.ofNullable(renewal),
                    Optional.ofNullable(warnAfter));
        }
    }
}
