package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DurationText;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.aop.LockedBeanCheck;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Checks annotated methods against the configuration, warns of configured names that no annotation uses (a lazy bean or
 * code may), and names requests from code. Thread-safe.
 */
final class ConfiguredLocks implements LockedBeanCheck.Settings, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredLocks.class);

    /** Shorter times probably have a mistyped unit. */
    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);

    private static final Duration SHORT_WAIT = Duration.ofMillis(50);

    private static final Duration LONG_LEASE = Duration.ofMinutes(2);

    private static final Set<String> REDIS = Set.of("redis", "redlock");

    /** By name, because the application may not have these libraries. */
    private static final List<String> RETRIES = List.of(
            "org.springframework.resilience.annotation.Retryable",
            "org.springframework.retry.annotation.Retryable",
            "io.github.resilience4j.retry.annotation.Retry");

    private final Supplier<DistributedLockProperties> properties;
    private final Supplier<EngineSettings> settings;
    private final ObjectProvider<LockBackendOptions> backends;
    private final ObjectProvider<LockNames> otherNames;
    private final Set<String> usedNames = ConcurrentHashMap.newKeySet();

    /** By store and name. */
    private final Map<List<String>, Integer> permitsByName = new ConcurrentHashMap<>();

    private final Set<Method> warnedMethods = ConcurrentHashMap.newKeySet();

    ConfiguredLocks(
            ObjectProvider<DistributedLockProperties> properties,
            ObjectProvider<LockBackendOptions> backends,
            ObjectProvider<LockNames> otherNames) {
        this.properties = SingletonSupplier.of(properties::getObject);
        this.settings = SingletonSupplier.of(() -> this.properties.get().engineSettings());
        this.backends = backends;
        this.otherNames = otherNames;
    }

    @Override
    public void check(Method method, LockRequest request, int keys, String locks) {
        if (usedNames.add(request.name())) {
            String lock = " of lock '" + request.name() + "'";
            warnOfShortTimes(request.terms(), "lease" + lock, "maxWait" + lock);
        }
        LockTerms terms = settings.get().completed(request);
        terms.checkPermits(request.name(), keys);
        checkPermits(
                method,
                request,
                backends.getObject().storeOf(locks),
                terms.permits().orElse(1));
        backends.getObject().check(request.keys(), terms, locks);
        checkRepetition(method, request, terms);
        checkSchedule(method, request, terms.maxWait().orElseThrow(), terms.minHold());
    }

    /** The repeated call would be skipped, and the scheduler would not learn of the failure. */
    private static void checkRepetition(Method method, LockRequest request, LockTerms terms) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotation<DistributedLock> lock = annotations.get(DistributedLock.class);
        if (lock.isPresent()
                && isRefusalHidden(lock)
                && terms.minHold().filter(minimum -> !minimum.isZero()).isPresent()
                && terms.minHoldIf() != MinHoldIf.SUCCESS
                && isRepeated(method)) {
            throw new IllegalArgumentException("Lock '" + request.name() + "' is kept for a minimum hold after a failed"
                    + " attempt, so the next attempt of the retry would be skipped and hide the failure. Set"
                    + " minHoldIf = SUCCESS, or let the method call one of another bean that has the retry");
        }
    }

    private static boolean isRefusalHidden(MergedAnnotation<DistributedLock> lock) {
        return lock.getEnum("ifContended", IfContended.class) == IfContended.SKIP
                || !lock.getString("fallbackMethod").isEmpty();
    }

    private static boolean isRepeated(Method method) {
        return Stream.<AnnotatedElement>of(method, method.getDeclaringClass())
                .map(element -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY))
                .anyMatch(annotations -> RETRIES.stream().anyMatch(annotations::isPresent));
    }

    private void checkPermits(Method method, LockRequest request, String store, int permits) {
        Integer earlier = permitsByName.putIfAbsent(List.of(store, request.name()), permits);
        if (earlier != null && earlier != permits) {
            throw new IllegalArgumentException("Lock '" + request.name() + "' has " + permits + " permits at "
                    + ClassUtils.getShortName(method.getDeclaringClass()) + '.' + method.getName() + "() and " + earlier
                    + " at another method. Give both the same number, or set it once:"
                    + " distributed-lock.locks." + request.name() + ".permits");
        }
    }

    private void checkSchedule(Method method, LockRequest request, Duration wait, Optional<Duration> minHold) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotation<DistributedLock> lock = annotations.get(DistributedLock.class);
        if (annotations.isPresent(Scheduled.class) && !wait.isZero()) {
            warn(
                    method,
                    "is @Scheduled and waits up to " + DurationText.exactly(wait) + " for lock '" + request.name()
                            + "': every instance of the application runs it at each tick, one after the other. For one "
                            + "run per tick, annotate it with @ScheduledLock(name = \"" + request.name()
                            + "\", minHoldMs = …) instead");
        } else if (annotations.isPresent(Scheduled.class) && lock.isPresent() && !isRefusalHidden(lock)) {
            warn(
                    method,
                    "is @Scheduled and throws while another instance has lock '" + request.name() + "': the scheduler "
                            + "of every other instance logs an error with its stack trace at each tick. Annotate it "
                            + "with @ScheduledLock(name = \"" + request.name() + "\", minHoldMs = …) instead, or set "
                            + "ifContended = IfContended.SKIP");
        } else if (annotations.isPresent(ScheduledLock.class) && minHold.isEmpty()) {
            warn(
                    method,
                    "is @ScheduledLock(name = \"" + request.name()
                            + "\") without a minimum hold: an instance whose clock is behind by more than the method "
                            + "takes runs it again. Set minHoldMs to more than the clocks of the instances differ, or "
                            + "to 0 if the method always takes longer");
        } else {
            annotations.stream(Scheduled.class)
                    .map(ConfiguredLocks::fixedRate)
                    .filter(time -> !time.isNegative()
                            && minHold.filter(kept -> kept.compareTo(time) >= 0).isPresent())
                    .findFirst()
                    .ifPresent(time -> warn(
                            method,
                            "is @Scheduled every " + DurationText.exactly(time) + ", and lock '" + request.name()
                                    + "' is kept for at least " + DurationText.exactly(minHold.orElseThrow())
                                    + ": the ticks in between are skipped. Set a minimum hold below the time between"
                                    + " two ticks"));
        }
    }

    /** Negative without a fixed rate. A fixed delay begins after the run, so it may be shorter than a minimum hold. */
    private static Duration fixedRate(MergedAnnotation<Scheduled> scheduled) {
        TimeUnit unit = scheduled.getEnum("timeUnit", TimeUnit.class);
        return Duration.of(scheduled.getLong("fixedRate"), unit.toChronoUnit());
    }

    private void warn(Method method, String problem) {
        if (warnedMethods.add(method)) {
            log.warn("{}.{}() {}", ClassUtils.getShortName(method.getDeclaringClass()), method.getName(), problem);
        }
    }

    /** Only known names count, because each name has its own meters. */
    LockRequest named(LockRequest request) {
        Set<Optional<String>> names = request.keys().stream().map(this::nameIn).collect(Collectors.toSet());
        Optional<String> first = names.iterator().next();
        return names.size() == 1 && first.isPresent() ? request.named(first.get()) : request;
    }

    /** The longest known name that equals the key or precedes a colon in it. */
    private Optional<String> nameIn(String key) {
        for (int end = key.length(); end > 0; end = key.lastIndexOf(':', end - 1)) {
            String name = key.substring(0, end);
            if (usedNames.contains(name) || properties.get().locks().containsKey(name)) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    /** Names the properties or terms that have the times. */
    private static void warnOfShortTimes(LockTerms terms, String leaseName, String waitName) {
        terms.lease()
                .filter(lease -> lease.compareTo(SHORT_LEASE) < 0)
                .ifPresent(lease -> log.warn(
                        "{} is {}ms: a holder loses its lock in any longer pause, such as a garbage collection. A "
                                + "number without a unit is in milliseconds: write 30s for 30 seconds",
                        leaseName,
                        lease.toMillis()));
        terms.maxWait()
                .filter(wait -> !wait.isZero() && wait.compareTo(SHORT_WAIT) < 0)
                .ifPresent(wait -> log.warn(
                        "{} is {}ms, so a caller gives up almost at once. A number without a unit is in milliseconds: "
                                + "write 5s for 5 seconds, or 0 for one attempt",
                        waitName,
                        wait.toMillis()));
    }

    private void warnOfLongLease() {
        Duration longest = properties.get().longestLease();
        if (longest.compareTo(LONG_LEASE) > 0
                && properties.get().backendsInUse().stream().anyMatch(REDIS::contains)) {
            log.warn(
                    "distributed-lock.max-lease is {}: after each restart or failover of Redis, no free lock is "
                            + "granted for that time. A lease is renewed while the work runs, so 30s suffice for work "
                            + "of hours",
                    DurationText.of(longest));
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        warnOfLongLease();
        warnOfShortTimes(settings.get().terms(), "distributed-lock.lease", "distributed-lock.max-wait");
        properties.get().locks().forEach((name, named) -> {
            String prefix = "distributed-lock.locks." + name;
            warnOfShortTimes(named.terms(), prefix + ".lease", prefix + ".max-wait");
        });
        Set<String> unused = new TreeSet<>(properties.get().locks().keySet());
        unused.removeAll(usedNames);
        otherNames.forEach(names -> unused.removeIf(names::contains));
        if (!unused.isEmpty()) {
            log.warn(
                    "distributed-lock.locks has settings for {}, and no @DistributedLock of the beans created so far "
                            + "has that name; annotations use {}. Correct the name, unless code uses it: in front of "
                            + "the colon of a key, or in LockRequest.named",
                    unused,
                    new TreeSet<>(usedNames));
        }
    }
}
