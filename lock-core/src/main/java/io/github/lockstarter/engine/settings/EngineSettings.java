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
 * How the engine behaves where a request is silent. Checked here, so that no later code checks again; the messages name
 * the property that sets the value.
 *
 * @param lease default lease
 * @param maxLease longest lease that a request may ask for
 * @param maxWait default wait
 * @param maxRetryDelay longest delay between two looks of a waiter that is not signalled; the first one is a tenth of
 *     it, and each further one twice as long
 * @param watchdog whether and how long leases are renewed
 * @param handOver how long a lock is passed on inside this instance
 * @param shownPlace where this instance runs, as {@code host/application}, which the store, and so other instances,
 *     learn of each lock, with its thread and since when; blank if that is unknown, empty if they learn only the
 *     instance
 * @param warnAfter how long a hold lasts before listeners hear of it; zero if they never do
 * @param crashTakeOver how long after the end of a holder's connection the store gives its lock to another owner,
 *     where the store can tell a crash from a pause; zero if it never does, so that the lease decides alone
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

    /** A shorter take-over time would pass before a connection can be opened again. */
    private static final Duration SHORTEST_TAKE_OVER = Duration.ofMillis(200);

    private static final String MAX_HOLD = "distributed-lock.watchdog.max-hold";

    /**
     * What an application gets that configures nothing: 30 s lease, 5 s wait, renewal on, a warning after 1 min, a
     * take-over 1 s after a crash.
     */
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
     * Checks what is given.
     *
     * @param lease default lease
     * @param maxLease longest lease that a request may ask for
     * @param maxWait default wait
     * @param maxRetryDelay longest delay between two looks of a waiter
     * @param watchdog whether and how long leases are renewed
     * @param handOver how long a lock is passed on inside this instance
     * @param shownPlace what the store learns of where this instance runs; empty if it learns only the instance
     * @param warnAfter how long a hold lasts before listeners hear of it; zero if they never do
     * @param crashTakeOver how long after the end of a holder's connection its lock is taken over; zero if never
     * @param locks overrides by logical lock name
     * @throws IllegalArgumentException when a value is out of range; names the property
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

    /**
     * The same, but the store, and so other instances, learn only which instance has a lock.
     *
     * @return a copy
     */
    public EngineSettings withoutOwner() {
        return with(Optional.empty(), crashTakeOver);
    }

    /**
     * The same for an instance that runs somewhere, unless the store learns only which instance has a lock.
     *
     * @param place host and application
     * @return a copy
     */
    public EngineSettings at(String place) {
        return with(shownPlace.map(unknown -> place), crashTakeOver);
    }

    /**
     * The same with another take-over time, but for the names that have one of their own.
     *
     * @param takeOver how long after the end of a holder's connection its lock is taken over; zero if never
     * @return a copy
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
     * @param request what would be locked
     * @throws IllegalArgumentException when its lease, its minimum time or its longest hold is out of range; the
     *     message says what to change
     */
    public void validate(LockRequest request) {
        Duration leaseOfRequest = leaseOf(request);
        atLeastOf(request, leaseOfRequest);
        maxHoldOf(request, leaseOfRequest);
        permitsOf(request);
    }

    /**
     * The lease of a request: what it asks for, else what is configured for its name, else the default.
     *
     * @param request what is to be locked
     * @return the lease
     * @throws IllegalArgumentException when the lease is out of range; the message says what to change
     */
    public Duration leaseOf(LockRequest request) {
        Duration asked = firstOf(request.lease(), overrides(request).lease()).orElse(lease);
        checkLease(request, asked, maxLease);
        return asked;
    }

    /**
     * The minimum time of a request: what it asks for, else what is configured for its name, else none.
     *
     * @param request what is to be locked
     * @param leaseOfRequest its lease
     * @return the minimum time; zero if there is none
     * @throws IllegalArgumentException when it is above the lease; the message says what to change
     */
    public Duration atLeastOf(LockRequest request, Duration leaseOfRequest) {
        Duration asked =
                firstOf(request.atLeast(), overrides(request).atLeast()).orElse(Duration.ZERO);
        checkMinimum(request, asked, leaseOfRequest);
        return asked;
    }

    /**
     * The longest hold of a request: what it asks for, else what is configured.
     *
     * @param request what is to be locked
     * @param leaseOfRequest its lease
     * @return how long after its grant the lock is still renewed; empty if there is no end
     * @throws IllegalArgumentException when the request has one below the lease; the message says what to change
     */
    public Optional<Duration> maxHoldOf(LockRequest request, Duration leaseOfRequest) {
        request.maxHold().ifPresent(longest -> checkMaxHold(request, longest, leaseOfRequest));
        return firstOf(request.maxHold(), watchdog.maxHold());
    }

    /**
     * The take-over time of a request: what is configured for its name, else the default.
     *
     * @param request what is to be locked
     * @return how long after the end of its holder's connection the lock is taken over; zero if never
     */
    public Duration crashTakeOverOf(LockRequest request) {
        return overrides(request).crashTakeOver().orElse(crashTakeOver);
    }

    /**
     * The shortest take-over time that is configured for any lock.
     *
     * @return the time; empty if no lock is ever taken over
     */
    public Optional<Duration> shortestCrashTakeOver() {
        return Stream.concat(
                        Stream.of(crashTakeOver),
                        locks.values().stream().flatMap(overrides -> overrides.crashTakeOver().stream()))
                .filter(time -> !time.isZero())
                .min(Comparator.naturalOrder());
    }

    /**
     * The longest wait of a request: what it asks for, else what is configured for its name, else the default.
     *
     * @param request what is to be locked
     * @return the wait; zero for one attempt
     */
    public Duration maxWaitOf(LockRequest request) {
        return firstOf(request.maxWait(), overrides(request).maxWait()).orElse(maxWait);
    }

    /**
     * The permits of a request: what it asks for, else what is configured for its name, else one.
     *
     * @param request what is to be locked
     * @return how many callers have the lock at a time
     * @throws IllegalArgumentException when a request for several keys has more than one
     */
    public int permitsOf(LockRequest request) {
        int configured = overrides(request).permits().orElse(1);
        return request.permits().isPresent() || configured == 1
                ? request.permits().orElse(1)
                : request.permits(configured).permits().getAsInt();
    }

    /**
     * Whether the release of a lock waits for the answer of the store, as configured for its name.
     *
     * @param request what is locked
     * @return that it does, unless configured otherwise
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
     * Checks the terms that the holder of a lock asks for.
     *
     * @param asked the terms; what they leave open stays as it is
     * @param leaseOfHold the lease that the lock has
     * @throws IllegalArgumentException when a duration is out of range; the message says what to change
     */
    public void checkExtension(LockRequest asked, Duration leaseOfHold) {
        Duration leaseFromNow = asked.lease().orElse(leaseOfHold);
        checkLease(asked, leaseFromNow, maxLease);
        asked.atLeast().ifPresent(minimum -> checkMinimum(asked, minimum, leaseFromNow));
        asked.maxHold().ifPresent(longest -> checkMaxHold(asked, longest, leaseFromNow));
    }

    /**
     * Settings of one logical lock name that differ from the defaults.
     *
     * @param lease lease instead of the default
     * @param maxWait wait instead of the default
     * @param atLeast minimum time, instead of none
     * @param crashTakeOver how long after the end of its holder's connection a lock is taken over, instead of the
     *     default; zero if never
     * @param permits how many callers have the lock at a time, instead of one
     * @param release whether a release waits for the answer of the store
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

    /** Whether a release waits for the answer of the store. */
    public enum Release {
        /** The lock is free, or lost, when the call returns. */
        AWAIT,
        /**
         * One round trip less: the lock is free when the store has executed the release, which the client has taken
         * when the call returns. A loss that only the answer would show is reported to listeners and not to the caller.
         * The release of a lock in doubt is awaited all the same.
         */
        SEND
    }

    /**
     * Renewal of leases.
     *
     * @param enabled whether a request that does not say so is renewed
     * @param maxHold how long after its grant a lock is still renewed; unbounded if empty
     */
    public record Watchdog(boolean enabled, Optional<Duration> maxHold) {

        /**
         * Checks what is given.
         *
         * @param enabled whether a request that does not say so is renewed
         * @param maxHold how long after its grant a lock is still renewed
         * @throws IllegalArgumentException when a value is out of range; names the property
         */
        public Watchdog {
            maxHold.ifPresent(value -> checkAtLeast(MAX_HOLD, value, LockRequest.MIN_LEASE));
        }
    }

    /**
     * Passing a lock on to a waiter of the same instance, without asking the backend, while other instances wait.
     *
     * @param max how often in a row; zero never passes a lock on, whether or not others wait
     * @param maxTime how long, counted from when the first of the others became known
     */
    public record HandOver(int max, Duration maxTime) {

        /**
         * How many fencing tokens a grant covers at first where callers of this instance wait: one for each hold, and
         * up to {@link AcquireCommand#MOST_FENCING_TOKENS} where they are used up within {@link #maxTime}. They also
         * bound how often the lock is passed on when the notice that another instance waits is lost.
         */
        public static final int FENCING_TOKENS = 64;

        /** 16 times or 50 ms, whichever comes first. */
        public static final HandOver DEFAULTS = upTo(16);

        /**
         * Checks what is given.
         *
         * @param max how often in a row
         * @param maxTime how long
         * @throws IllegalArgumentException when the number is out of range; names the property
         */
        public HandOver {
            if (max < 0 || max > FENCING_TOKENS) {
                throw outOfRange("distributed-lock.hand-over.max", max, "; it must be between 0 and " + FENCING_TOKENS);
            }
        }

        /**
         * For 50 ms at most.
         *
         * @param max how often in a row
         * @return the limits
         * @throws IllegalArgumentException when the number is out of range; names the property
         */
        public static HandOver upTo(int max) {
            return new HandOver(max, Duration.ofMillis(50));
        }

        /**
         * How many fencing tokens one grant may cover.
         *
         * @return {@value AcquireCommand#MOST_FENCING_TOKENS}; 1 if locks are not handed over
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

    /** The subject of this check and the next two is a property, or the request, whose locks the message names. */
    private static void checkLease(Object subject, Duration lease, Duration maxLease) {
        if (lease.compareTo(maxLease) > 0) {
            throw outOfRange(
                    named("Lease", subject),
                    DurationText.exactly(lease),
                    ", above distributed-lock.max-lease (" + DurationText.exactly(maxLease)
                            + "). Set distributed-lock.max-lease=" + DurationText.exactly(lease)
                            + " in all applications that share locks, or lower the lease");
        }
    }

    private static void checkMinimum(Object subject, Duration atLeast, Duration lease) {
        if (atLeast.compareTo(lease) > 0) {
            throw outOfRange(
                    named("Minimum time", subject),
                    DurationText.exactly(atLeast),
                    ", above the lease of the lock (" + DurationText.exactly(lease)
                            + "). Lower the minimum time, or raise the lease");
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
