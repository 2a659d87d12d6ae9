package io.github.lockstarter.engine.settings;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.spi.AcquireCommand;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Configuration of the engine. The constructor names the property of a wrong value. The methods for a request resolve
 * one of its terms: its own, else configured for its name, else the default.
 *
 * @param lease default lease
 * @param maxLease longest lease of a request
 * @param maxWait default wait
 * @param maxRetryDelay longest polling delay of a waiter without signals; the first is a tenth of it, and each further
 *     one twice as long
 * @param watchdog renewal
 * @param handOver limits of hand-overs inside this instance
 * @param shownPlace where this instance runs, as {@code host/application}, stored with each lock's thread and time for
 *     other instances; blank if unknown, empty to store only the instance
 * @param warnAfter hold time after which listeners receive a warning; zero for none
 * @param crashTakeOver time from the end of a holder's connection to the take-over of its locks, if the store detects
 *     crashes; zero to rely on the lease alone
 * @param locks overrides by logical lock name
 */
public record EngineSettings(
        Duration lease,
        Duration maxLease,
        Duration maxWait,
        Duration maxRetryDelay,
        Watchdog watchdog,
        HandOver handOver,
        Optional<String> shownPlace,
        Duration warnAfter,
        Duration crashTakeOver,
        Map<String, Overrides> locks) {

    private static final Duration SHORTEST_MAX_RETRY_DELAY = Duration.ofMillis(10);

    /** A shorter time would end before a connection can be reopened. */
    private static final Duration SHORTEST_TAKE_OVER = Duration.ofMillis(200);

    private static final String MAX_HOLD = "distributed-lock.watchdog.max-hold";

    /** 30 s lease, 5 s wait, renewal, warning after 1 min, take-over 1 s after a crash. */
    public static final EngineSettings DEFAULTS = new EngineSettings(
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            new Watchdog(true, Optional.empty()),
            HandOver.DEFAULTS,
            Optional.of(""),
            Duration.ofMinutes(1),
            Duration.ofSeconds(1),
            Map.of());

    /**
     * Checks all values.
     *
     * @param lease default lease
     * @param maxLease longest lease
     * @param maxWait default wait
     * @param maxRetryDelay longest delay
     * @param watchdog renewal
     * @param handOver hand-over
     * @param shownPlace place
     * @param warnAfter time until the warning
     * @param crashTakeOver take-over time
     * @param locks overrides
     * @throws IllegalArgumentException when a value is out of range
     */
    public EngineSettings {
        Objects.requireNonNull(watchdog, "watchdog");
        Objects.requireNonNull(handOver, "handOver");
        locks = Map.copyOf(locks);
        checkAtLeast("distributed-lock.lease", lease, LockRequest.MIN_LEASE);
        checkAtLeast("distributed-lock.max-lease", maxLease, LockRequest.MIN_LEASE);
        checkLease("distributed-lock.lease", lease, maxLease);
        if (watchdog.maxHold().isPresent()) {
            checkMaxHold(MAX_HOLD, watchdog.maxHold().get(), lease);
        }
        checkAtLeast("distributed-lock.wait", maxWait, Duration.ZERO);
        checkAtLeast("distributed-lock.retry.max-delay", maxRetryDelay, SHORTEST_MAX_RETRY_DELAY);
        checkZeroOrAtLeast("distributed-lock.warn-after", warnAfter, Duration.ofMillis(1), "disable the warning");
        checkTakeOver("distributed-lock.crash-takeover", crashTakeOver);
        for (Map.Entry<String, Overrides> entry : locks.entrySet()) {
            checkOverrides("distributed-lock.locks." + entry.getKey(), entry.getValue(), lease, maxLease);
        }
    }

    /** {@return a copy that stores only the instance with each lock} */
    public EngineSettings withoutOwner() {
        return with(Optional.empty(), crashTakeOver);
    }

    /**
     * {@return a copy for an instance at a place, unless only the instance is stored}
     *
     * @param place host and application
     */
    public EngineSettings at(String place) {
        return with(shownPlace.map(unknown -> place), crashTakeOver);
    }

    /**
     * {@return a copy with another default take-over time}
     *
     * @param takeOver time; zero for none
     */
    public EngineSettings withCrashTakeOver(Duration takeOver) {
        return with(shownPlace, takeOver);
    }

    private EngineSettings with(Optional<String> place, Duration takeOver) {
        return new EngineSettings(
                lease, maxLease, maxWait, maxRetryDelay, watchdog, handOver, place, warnAfter, takeOver, locks);
    }

    /**
     * Checks a request against these settings.
     *
     * @param request request
     * @throws IllegalArgumentException when its lease, minimum time, longest hold or permits are out of range
     */
    public void validate(LockRequest request) {
        Duration leaseOfRequest = leaseOf(request);
        atLeastOf(request, leaseOfRequest);
        maxHoldOf(request, leaseOfRequest);
        permitsOf(request);
    }

    /**
     * {@return the lease of a request}
     *
     * @param request request
     * @throws IllegalArgumentException when out of range
     */
    public Duration leaseOf(LockRequest request) {
        Duration requested =
                firstOf(request.lease(), overrides(request).lease()).orElse(lease);
        checkLease(request, requested, maxLease);
        return requested;
    }

    /**
     * {@return the minimum time of a request, or zero}
     *
     * @param request request
     * @param leaseOfRequest lease
     * @throws IllegalArgumentException when it is above the lease
     */
    public Duration atLeastOf(LockRequest request, Duration leaseOfRequest) {
        Duration requested =
                firstOf(request.atLeast(), overrides(request).atLeast()).orElse(Duration.ZERO);
        checkMinimum(request, requested, leaseOfRequest);
        return requested;
    }

    /**
     * {@return the longest hold of a request, if limited}
     *
     * @param request request
     * @param leaseOfRequest lease
     * @throws IllegalArgumentException when the request has one below the lease
     */
    public Optional<Duration> maxHoldOf(LockRequest request, Duration leaseOfRequest) {
        request.maxHold().ifPresent(longest -> checkMaxHold(request, longest, leaseOfRequest));
        return firstOf(request.maxHold(), watchdog.maxHold());
    }

    /**
     * {@return the take-over time of a request's lock; zero for none}
     *
     * @param request request
     */
    public Duration crashTakeOverOf(LockRequest request) {
        return overrides(request).crashTakeOver().orElse(crashTakeOver);
    }

    /** {@return the shortest take-over time of any lock; empty if none is ever taken over} */
    public Optional<Duration> shortestCrashTakeOver() {
        return Stream.concat(
                        Stream.of(crashTakeOver),
                        locks.values().stream().flatMap(overrides -> overrides.crashTakeOver().stream()))
                .filter(time -> !time.isZero())
                .min(Comparator.naturalOrder());
    }

    /**
     * {@return the wait of a request}
     *
     * @param request request
     */
    public Duration maxWaitOf(LockRequest request) {
        return firstOf(request.maxWait(), overrides(request).maxWait()).orElse(maxWait);
    }

    /**
     * {@return the permits of a request, by default one}
     *
     * @param request request
     * @throws IllegalArgumentException when a request for several keys has more than one
     */
    public int permitsOf(LockRequest request) {
        int configured = overrides(request).permits().orElse(1);
        return request.permits().isPresent() || configured == 1
                ? request.permits().orElse(1)
                : request.permits(configured).permits().getAsInt();
    }

    /**
     * {@return whether the release of a request's lock waits for the store's answer}
     *
     * @param request request
     */
    public Release releaseOf(LockRequest request) {
        return overrides(request).release();
    }

    private Overrides overrides(LockRequest request) {
        return locks.getOrDefault(request.name(), Overrides.NONE);
    }

    private static Optional<Duration> firstOf(Optional<Duration> first, Optional<Duration> second) {
        return first.isPresent() ? first : second;
    }

    /**
     * Checks the terms of an extension.
     *
     * @param terms terms
     * @param leaseOfHold present lease
     * @throws IllegalArgumentException when a duration is out of range
     */
    public void checkExtension(LockRequest terms, Duration leaseOfHold) {
        Duration leaseFromNow = terms.lease().orElse(leaseOfHold);
        checkLease(terms, leaseFromNow, maxLease);
        terms.atLeast().ifPresent(minimum -> checkMinimum(terms, minimum, leaseFromNow));
        terms.maxHold().ifPresent(longest -> checkMaxHold(terms, longest, leaseFromNow));
    }

    /**
     * Settings of one logical lock name that override the defaults.
     *
     * @param lease lease
     * @param maxWait wait
     * @param atLeast minimum time
     * @param crashTakeOver take-over time; zero for none
     * @param permits number of permits
     * @param release whether a release waits for the store's answer
     */
    public record Overrides(
            Optional<Duration> lease,
            Optional<Duration> maxWait,
            Optional<Duration> atLeast,
            Optional<Duration> crashTakeOver,
            OptionalInt permits,
            Release release) {

        /** Overrides nothing. */
        public static final Overrides NONE = new Overrides(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                Release.AWAIT);
    }

    /** Whether a release waits for the store's answer. */
    public enum Release {
        /** The lock is free or lost when the call returns. */
        AWAIT,
        /**
         * Returns when the client has accepted the release, which saves a round trip. Listeners, not the caller,
         * receive a loss that only the answer shows. The release of a lock in doubt waits anyway.
         */
        SEND
    }

    /**
     * Renewal of leases.
     *
     * @param enabled default for requests
     * @param maxHold time from the grant after which a lock is no longer renewed; empty if unlimited
     */
    public record Watchdog(boolean enabled, Optional<Duration> maxHold) {

        /**
         * Checks the longest hold.
         *
         * @param enabled default for requests
         * @param maxHold longest hold
         * @throws IllegalArgumentException when out of range
         */
        public Watchdog {
            maxHold.ifPresent(value -> checkAtLeast(MAX_HOLD, value, LockRequest.MIN_LEASE));
        }
    }

    /**
     * Limits of handing a lock over to waiters of the same instance while other instances wait.
     *
     * @param max maximum number in a row; zero disables hand-overs entirely
     * @param maxTime maximum time since the first other waiting instance was detected
     */
    public record HandOver(int max, Duration maxTime) {

        /**
         * Initial number of fencing tokens per grant if callers of this instance wait: one per hold, up to {@link
         * AcquireCommand#MOST_FENCING_TOKENS} if they are used up within {@link #maxTime}. It limits hand-overs even if
         * the notice of another waiting instance is lost.
         */
        public static final int FENCING_TOKENS = 64;

        /** 16 hand-overs or 50 ms, whichever comes first. */
        public static final HandOver DEFAULTS = upTo(16);

        /**
         * Checks the number.
         *
         * @param max maximum number
         * @param maxTime maximum time
         * @throws IllegalArgumentException when the number is out of range
         */
        public HandOver {
            if (max < 0 || max > FENCING_TOKENS) {
                throw outOfRange("distributed-lock.hand-over.max", max, "; it must be between 0 and " + FENCING_TOKENS);
            }
        }

        /**
         * {@return limits of this number and 50 ms}
         *
         * @param max maximum number
         * @throws IllegalArgumentException when the number is out of range
         */
        public static HandOver upTo(int max) {
            return new HandOver(max, Duration.ofMillis(50));
        }

        /**
         * {@return the maximum number of fencing tokens per grant: {@value AcquireCommand#MOST_FENCING_TOKENS}, or 1
         * without hand-over}
         */
        public int fencingTokens() {
            return max > 0 ? AcquireCommand.MOST_FENCING_TOKENS : 1;
        }
    }

    private static void checkOverrides(String prefix, Overrides overrides, Duration lease, Duration maxLease) {
        overrides.lease().ifPresent(value -> {
            checkAtLeast(prefix + ".lease", value, LockRequest.MIN_LEASE);
            checkLease(prefix + ".lease", value, maxLease);
        });
        overrides.maxWait().ifPresent(value -> checkAtLeast(prefix + ".wait", value, Duration.ZERO));
        overrides.crashTakeOver().ifPresent(value -> checkTakeOver(prefix + ".crash-takeover", value));
        overrides.atLeast().ifPresent(value -> {
            checkZeroOrAtLeast(prefix + ".at-least", value, Duration.ofMillis(1), "have none");
            checkMinimum(prefix + ".at-least", value, overrides.lease().orElse(lease));
        });
    }

    private static void checkTakeOver(String property, Duration value) {
        checkZeroOrAtLeast(property, value, SHORTEST_TAKE_OVER, "leave the locks of a crashed instance to their lease");
    }

    private static void checkZeroOrAtLeast(String property, Duration value, Duration least, String zeroMeans) {
        if (!value.isZero()) {
            check(property, value, least, ", or 0 to " + zeroMeans);
        }
    }

    private static void checkAtLeast(String property, Duration value, Duration least) {
        check(property, value, least, "");
    }

    private static void check(String property, Duration value, Duration least, String orElse) {
        if (value.compareTo(least) < 0 || value.compareTo(LockRequest.MAX_DURATION) > 0) {
            throw outOfRange(
                    property,
                    DurationText.exactly(value),
                    "; it must be between " + DurationText.exactly(least) + " and "
                            + DurationText.exactly(LockRequest.MAX_DURATION) + orElse);
        }
    }

    /** The subject of these checks is a property or the request. */
    private static void checkLease(Object subject, Duration lease, Duration maxLease) {
        if (lease.compareTo(maxLease) > 0) {
            throw outOfRange(
                    named("Lease", subject),
                    DurationText.exactly(lease),
                    ", above distributed-lock.max-lease (" + DurationText.exactly(maxLease)
                            + "). Lower the lease, which is renewed while the work runs (unless that is switched off),"
                            + " or set distributed-lock.max-lease=" + DurationText.exactly(lease)
                            + " in all applications that share locks: for that time no free lock is granted after each"
                            + " restart or failover of Redis");
        }
    }

    private static void checkMinimum(Object subject, Duration atLeast, Duration lease) {
        if (atLeast.compareTo(lease) > 0) {
            throw outOfRange(
                    named("Minimum time", subject),
                    DurationText.exactly(atLeast),
                    ", above the lease of the lock (" + DurationText.exactly(lease)
                            + "). Lower the minimum time, or raise the lease; for minutes, store the time of the last"
                            + " run, or the end of a reservation, with the data: a lock is no reservation");
        }
    }

    private static void checkMaxHold(Object subject, Duration maxHold, Duration lease) {
        if (maxHold.compareTo(lease) < 0) {
            throw outOfRange(
                    named("Longest hold", subject),
                    DurationText.exactly(maxHold),
                    ", below the lease of the lock (" + DurationText.exactly(lease)
                            + "), for which it is held anyway. Raise max-hold, or lower the lease");
        }
    }

    private static String named(String what, Object subject) {
        return subject instanceof LockRequest request
                ? what + " of lock '" + LockRequest.printable(String.join(", ", request.keys())) + "'"
                : subject.toString();
    }

    private static IllegalArgumentException outOfRange(String subject, Object value, String rule) {
        return new IllegalArgumentException(subject + " is " + value + rule);
    }
}
