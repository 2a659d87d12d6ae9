package io.github.lockstarter.autoconfigure;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.github.lockstarter.DurationText;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.leader.LeaderLocks;
import io.github.lockstarter.observe.tracing.LockObservationConvention.KeyDisplay;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The configuration of an application's locks, whatever store keeps them; what a store adds is in records of its own.
 * Ranges are checked when the bean is made, so that a bad value fails the start with the property's name, and
 * so does Spring Boot with a name that is not here. No component of a record may be called wait, so it is named apart,
 * for the configuration and for the endpoint {@code configprops}.
 *
 * @param enabled Whether locks are available. If false, nothing is configured, and an application that still uses the
 *     annotation does not start, since it would run unlocked.
 * @param backend Where locks are kept. Defaults to the store of the only module with one on the class path; to redis
 *     where there are several.
 * @param furtherBackends Further stores for locks. Each gives a bean of type LockOperations, such as zookeeperLocks,
 *     that an annotation chooses with its attribute locks.
 * @param keyPrefix First part of every key that the store keeps. Applications that share locks share it.
 * @param lease How long a lock outlives a holder that is paused or cut off, and at most a crashed one. Renewed while
 *     the holder is alive.
 * @param maxLease Longest lease that a request, an annotation or a per-name setting may have. Defaults to the lease.
 * @param maxWait Longest time a caller waits for a lock that another owner holds. Zero makes one attempt.
 * @param warnAfter How long a lock may be held before a warning shows what its holder is doing. Zero disables the
 *     warning.
 * @param crashTakeover How long after the end of its holder's connection a lock is given to the next caller, since the
 *     holder has crashed or is cut off. Works with Redis standalone, with replicas and with Sentinel. At least 200ms,
 *     and below the lease to have an effect. Zero leaves the lock to its lease.
 * @param showOwner Whether the store keeps host, application, thread and time of each lock, which other instances then
 *     show in their exceptions, logs and endpoints. If false, it keeps only the instance.
 * @param onLost What a locked method does when its body ended normally but the lock was lost meanwhile.
 * @param inTransaction What a locked method does that is called inside a transaction of its caller, which commits after
 *     the method has returned.
 * @param order Position of the lock among the advices of a bean. The default wraps transactions, so that a lock is
 *     released after the commit.
 * @param retry How a waiter retries when no signal arrives.
 * @param watchdog Renewal of the leases of held locks.
 * @param handOver Passing a lock on to a waiter of the same instance, without asking the store.
 * @param observation Observations of locks, which a tracer turns into spans.
 * @param log What the lock client adds to the log.
 * @param web HTTP responses for lock exceptions.
 * @param cache Caches whose missing values are loaded once over all instances.
 * @param leader Leader election.
 * @param locks Settings of single locks by their name. A name with characters other than lower-case letters, digits and
 *     dashes is written in brackets, such as distributed-lock.locks.[OrderService.ship].lease.
 * @param redis What the record of this store binds. Any name is accepted here and no value kept, as for each of the
 *     other stores: an application may configure a store whose module it has left out.
 * @param redlock What the record of this store binds.
 * @param jdbc What the record of this store binds.
 * @param zookeeper What the record of this store binds.
 * @param etcd What the record of this store binds.
 */
@ConfigurationProperties(prefix = DistributedLockProperties.PREFIX, ignoreUnknownFields = false)
record DistributedLockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("") String backend,
        @DefaultValue Set<String> furtherBackends,
        @DefaultValue("lock:") String keyPrefix,
        @DefaultValue("30s") Duration lease,
        @Nullable Duration maxLease,

        @Name("wait") @JsonProperty("wait") @DefaultValue("5s")
        Duration maxWait,

        @DefaultValue("1m") Duration warnAfter,
        @DefaultValue("1s") Duration crashTakeover,
        @DefaultValue("true") boolean showOwner,
        @DefaultValue("throw") OnLost onLost,
        @DefaultValue("warn") InTransaction inTransaction,
        @DefaultValue(DEFAULT_ORDER) int order,
        @DefaultValue Retry retry,
        @DefaultValue Watchdog watchdog,
        @DefaultValue HandOver handOver,
        @DefaultValue Observation observation,
        @DefaultValue Log log,
        @DefaultValue Web web,
        @DefaultValue Cache cache,
        @DefaultValue Leader leader,
        @DefaultValue Map<String, Named> locks,
        @DefaultValue Map<String, String> redis,
        @DefaultValue Map<String, String> redlock,
        @DefaultValue Map<String, String> jdbc,
        @DefaultValue Map<String, String> zookeeper,
        @DefaultValue Map<String, String> etcd)
        implements LockSettings, InitializingBean {

    static final String PREFIX = "distributed-lock";

    /** {@code Ordered.LOWEST_PRECEDENCE - 1000}. */
    private static final String DEFAULT_ORDER = "2147482647";

    DistributedLockProperties {
        furtherBackends = furtherBackends.stream().map(StoreModule::nameOf).collect(Collectors.toUnmodifiableSet());
        backend = StoreModule.inUse(backend, furtherBackends).iterator().next();
        inTransaction = inTransaction == InTransaction.AS_CONFIGURED ? InTransaction.WARN : inTransaction;
        locks = Map.copyOf(locks);
        redis = redlock = jdbc = zookeeper = etcd = Map.of();
    }

    /** Fails the start where the settings do not go together. */
    @Override
    public void afterPropertiesSet() {
        engineSettings();
    }

    @Override
    public Set<String> backendsInUse() {
        return StoreModule.inUse(backend, furtherBackends);
    }

    @Override
    public Duration longestLease() {
        return maxLease == null ? lease : maxLease;
    }

    @Override
    public Map<String, Duration> leases() {
        Map<String, Duration> leases = new HashMap<>();
        locks.forEach((name, named) -> {
            if (named.lease != null) {
                leases.put(name, named.lease);
            }
        });
        return leases;
    }

    /** Whether there is a time after which a warning comes. */
    boolean warnsOfSlowHolds() {
        return !warnAfter.isZero();
    }

    /** The minimum time of a request; empty if nothing says one. */
    Optional<Duration> atLeastOf(LockRequest request) {
        Named named = locks.get(request.name());
        return request.atLeast().or(() -> Optional.ofNullable(named).map(Named::atLeast));
    }

    EngineSettings engineSettings() {
        return new EngineSettings(
                lease,
                longestLease(),
                maxWait,
                retry.maxDelay,
                new EngineSettings.Watchdog(watchdog.enabled, Optional.ofNullable(watchdog.maxHold)),
                EngineSettings.HandOver.upTo(handOver.max),
                showOwner ? Optional.of("") : Optional.empty(),
                warnAfter,
                crashTakeover,
                locks.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue()
                        .overrides())));
    }

    /**
     * Retries of a waiter that no signal wakes.
     *
     * @param maxDelay Longest delay between two attempts of a waiter that no signal wakes. The first one is a tenth of
     *     it, and each further one twice as long.
     */
    record Retry(@DefaultValue("1s") Duration maxDelay) {}

    /**
     * Renewal.
     *
     * @param enabled Whether the leases of held locks are renewed, unless the annotation says otherwise.
     * @param maxHold How long after its grant a lock is still renewed. Unbounded unless set.
     */
    record Watchdog(
            @DefaultValue("true") boolean enabled, @Nullable Duration maxHold) {}

    /**
     * Hand-over while other instances wait for the lock.
     *
     * @param max How many times in a row an instance passes a lock on among its own waiters while another instance
     *     waits for it, up to 64, and for 50 ms at most. Zero never passes a lock on.
     */
    record HandOver(@DefaultValue("16") int max) {}

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
     * HTTP responses.
     *
     * @param problemDetails Whether Spring MVC and WebFlux answer LockNotAcquiredException with 409 and
     *     LockBackendException with 503. Handlers of the application take precedence.
     * @param retryAfter When clients may try again, as these responses say.
     */
    record Web(
            @DefaultValue("true") boolean problemDetails,
            @DefaultValue("1s") Duration retryAfter) {

        Web {
            if (retryAfter.isNegative()) {
                throw new IllegalArgumentException("distributed-lock.web.retry-after is "
                        + DurationText.exactly(retryAfter) + "; it must not be negative");
            }
        }
    }

    /**
     * Caches.
     *
     * @param names Caches whose @Cacheable(sync = true) methods load a missing value once over all instances. The
     *     locks of a cache have the name cache-, followed by that of the cache.
     */
    record Cache(@DefaultValue Set<String> names) {}

    /**
     * Leader election.
     *
     * @param roles Roles for which this instance competes, in addition to those that annotations and code name.
     */
    record Leader(@DefaultValue Set<String> roles) {

        Leader {
            try {
                roles.forEach(LeaderLocks::requestFor);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "distributed-lock.leader.roles is " + roles + ". " + e.getMessage(), e);
            }
        }
    }

    /**
     * Settings of one logical lock name.
     *
     * @param lease Lease instead of distributed-lock.lease.
     * @param maxWait Wait instead of distributed-lock.wait.
     * @param crashTakeover Take-over time instead of distributed-lock.crash-takeover. Zero leaves the lock to its
     *     lease.
     * @param atLeast Minimum time for which no other caller gets the lock, counted from the grant: a release that comes
     *     sooner leaves the lock kept for the rest. None unless set.
     * @param permits How many callers have the lock at a time, over all instances, where the annotation is silent. One
     *     unless set.
     * @param release Whether a release waits for the reply of the store: await, or send, which saves a round trip. A
     *     loss that only the reply would show is then reported to listeners, and not to the caller.
     */
    record Named(
            @Nullable Duration lease,
            @Name("wait") @JsonProperty("wait") @Nullable Duration maxWait,
            @Nullable Duration crashTakeover,
            @Nullable Duration atLeast,
            @Nullable Integer permits,
            @DefaultValue("await") EngineSettings.Release release) {

        EngineSettings.Overrides overrides() {
            return new EngineSettings.Overrides(
                    Optional.ofNullable(lease),
                    Optional.ofNullable(maxWait),
                    Optional.ofNullable(atLeast),
                    Optional.ofNullable(crashTakeover),
                    permits == null ? OptionalInt.empty() : OptionalInt.of(permits),
                    release);
        }
    }
}
