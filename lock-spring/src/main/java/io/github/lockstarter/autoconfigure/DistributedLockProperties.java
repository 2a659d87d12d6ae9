package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.settings.EngineSettings;
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

/**
 * The configuration of all locks; each store binds its own record. Invalid values and unknown names fail startup.
 *
 * @param enabled Whether locks are available. If false, startup fails for an application that uses the annotation.
 * @param backend Store that keeps the locks. Defaults to the only store on the class path; to redis if there are
 *     several.
 * @param furtherBackends Further stores. Each has a LockOperations bean, such as zookeeperLocks, for the annotation's
 *     attribute locks.
 * @param keyPrefix Prefix of all keys in the store. Applications that share locks share it.
 * @param lease Longest time that a lock outlives a crashed, paused or disconnected holder. Renewed while the holder is
 *     alive.
 * @param maxLease Longest lease of a request, an annotation or a name. Defaults to the lease.
 * @param maxWait Longest wait for a lock that another owner holds. Zero makes one attempt.
 * @param warnAfter Time after which a warning logs the stack of a lock's holder. Zero disables it.
 * @param crashTakeover Time after a holder's connection closes until the next caller gets the lock: at least 200ms, and
 *     below the lease to have an effect. Works with Redis standalone, with replicas and with Sentinel. Zero disables
 *     it.
 * @param renewal Whether the leases of held locks are renewed, unless the annotation sets it.
 * @param maxHold How long after its grant a lock is renewed. Unlimited by default; with 365d, long holds are not
 *     reported either.
 * @param showOwner Whether the store records host, application, thread and time of each lock, or only the instance.
 * @param onLost What happens when a lock is lost while its work runs, unless the annotation sets it.
 * @param inTransaction Behaviour of a locked method, or of code that acquires a lock, inside its caller's transaction.
 * @param order Order of the lock among the advices of a bean. By default a lock is released after the commit.
 * @param retry Retries of a waiter without a signal.
 * @param handover Handover of a lock within an instance.
 * @param log Additions to the log.
 * @param web HTTP responses for lock exceptions.
 * @param locks Settings per lock name. Put names with characters other than lower-case letters, digits and dashes in
 *     brackets, such as distributed-lock.locks.[OrderService.ship].lease.
 * @param observation Bound by the auto-configuration of observations.
 * @param cache Bound by another module, which may be missing, as are the leader and each store.
 */
@ConfigurationProperties(prefix = DistributedLockProperties.PREFIX, ignoreUnknownFields = false)
record DistributedLockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("") String backend,
        @DefaultValue Set<String> furtherBackends,
        @DefaultValue("lock:") String keyPrefix,
        @DefaultValue("30s") Duration lease,
        @Nullable Duration maxLease,
        @DefaultValue("5s") Duration maxWait,
        @DefaultValue("1m") Duration warnAfter,
        @DefaultValue("1s") Duration crashTakeover,
        @DefaultValue("on") Renewal renewal,
        @Nullable Duration maxHold,
        @DefaultValue("true") boolean showOwner,
        @DefaultValue("throw") OnLost onLost,
        @DefaultValue("warn") InTransaction inTransaction,
        @DefaultValue(DEFAULT_ORDER) int order,
        @DefaultValue Retry retry,
        @DefaultValue Handover handover,
        @DefaultValue Log log,
        @DefaultValue Web web,
        @DefaultValue Map<String, String> observation,
        @DefaultValue Map<String, String> cache,
        @DefaultValue Map<String, String> leader,
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
        observation = cache = leader = redis = redlock = jdbc = zookeeper = etcd = Map.of();
    }

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

    boolean warnsOfSlowHolds() {
        return !warnAfter.isZero();
    }

    EngineSettings engineSettings() {
        return new EngineSettings(
                new LockTerms(
                        Optional.of(maxWait),
                        Optional.of(lease),
                        renewal,
                        Optional.empty(),
                        MinHoldIf.AS_CONFIGURED,
                        Optional.ofNullable(maxHold),
                        Optional.of(crashTakeover),
                        OptionalInt.empty(),
                        Optional.empty(),
                        onLost,
                        Optional.empty()),
                longestLease(),
                retry.maxDelay,
                EngineSettings.Handover.upTo(handover.max),
                showOwner ? Optional.of("") : Optional.empty(),
                warnAfter,
                locks.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue()
                        .terms())));
    }

    /**
     * @param maxDelay Longest delay between two attempts. The first is a tenth of it; each further one doubles.
     */
    record Retry(@DefaultValue("1s") Duration maxDelay) {}

    /**
     * @param max How many times in a row, within 50 ms, an instance passes a lock to its own waiters while another
     *     instance waits: at most 64. Zero disables handover.
     */
    record Handover(@DefaultValue("16") int max) {}

    /**
     * @param mdc Whether the MDC of a locked body has lock.held.key, lock.held.name and lock.held.fencingToken.
     */
    record Log(@DefaultValue("false") boolean mdc) {}

    /**
     * @param problemDetails Whether Spring MVC and WebFlux answer LockNotAcquiredException with 409 and
     *     LockBackendException with 503. Handlers of the application take precedence.
     * @param retryAfter Retry-After of these responses.
     */
    record Web(
            @DefaultValue("true") boolean problemDetails,
            @DefaultValue("1s") Duration retryAfter) {

        Web {
            DurationText.check("distributed-lock.web.retry-after", retryAfter, Duration.ZERO, LockRequest.MAX_DURATION);
        }
    }

    /**
     * @param lease Lease instead of distributed-lock.lease.
     * @param maxWait Longest wait instead of distributed-lock.max-wait.
     * @param crashTakeover Takeover time instead of distributed-lock.crash-takeover.
     * @param minHold Minimum time from the grant until another caller gets the lock, even after a release. None by
     *     default.
     * @param minHoldIf Whether the minimum hold applies only after success: otherwise the lock is free at its release.
     * @param renewal Whether the lease is renewed, instead of distributed-lock.renewal.
     * @param maxHold How long after its grant the lock is renewed, instead of distributed-lock.max-hold.
     * @param permits Number of holders at a time, over all instances, unless the annotation sets it. Defaults to 1.
     * @param release Whether a release awaits the store's reply, or is only sent, which saves a round trip. A loss that
     *     only the reply would show is then reported to listeners, not to the caller.
     * @param onLost What happens when the lock is lost while its work runs, instead of distributed-lock.on-lost.
     */
    record Named(
            @Nullable Duration lease,
            @Nullable Duration maxWait,
            @Nullable Duration crashTakeover,
            @Nullable Duration minHold,
            @DefaultValue("always") MinHoldIf minHoldIf,
            @DefaultValue("as-configured") Renewal renewal,
            @Nullable Duration maxHold,
            @Nullable Integer permits,
            @DefaultValue("await") LockTerms.Release release,
            @DefaultValue("as-configured") OnLost onLost) {

        LockTerms terms() {
            return new LockTerms(
                    Optional.ofNullable(maxWait),
                    Optional.ofNullable(lease),
                    renewal,
                    Optional.ofNullable(minHold),
                    minHoldIf,
                    Optional.ofNullable(maxHold),
                    Optional.ofNullable(crashTakeover),
                    permits == null ? OptionalInt.empty() : OptionalInt.of(permits),
                    Optional.of(release),
                    onLost,
                    Optional.empty());
        }
    }
}
