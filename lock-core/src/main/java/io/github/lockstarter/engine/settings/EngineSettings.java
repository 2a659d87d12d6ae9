package io.github.lockstarter.engine.settings;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.spi.AcquireCommand;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Configuration of the engine. The constructor names the property of a wrong value.
 *
 * @param terms default terms; unset ones are those of {@link #DEFAULTS}
 * @param maxLease longest lease of a request
 * @param maxRetryDelay longest polling delay of a waiter without signals; the first is a tenth of it, and each further
 *     one twice as long
 * @param handover limits of handovers inside this instance
 * @param shownPlace where this instance runs, as {@code host/application}, stored with each lock's thread and time for
 *     other instances; blank if unknown, empty to store only the instance
 * @param warnAfter hold time after which listeners receive a warning; zero for none
 * @param locks terms by logical lock name
 */
public record EngineSettings(
        LockTerms terms,
        Duration maxLease,
        Duration maxRetryDelay,
        Handover handover,
        Optional<String> shownPlace,
        Duration warnAfter,
        Map<String, LockTerms> locks) {

    private static final String PREFIX = "distributed-lock.";
    private static final Pattern UPPER_CASE = Pattern.compile("[A-Z]");
    private static final Duration SHORTEST_MAX_RETRY_DELAY = Duration.ofMillis(10);

    private static final LockTerms DEFAULT_TERMS = LockTerms.NONE
            .maxWait(Duration.ofSeconds(5))
            .lease(Duration.ofSeconds(30))
            .renewal(Renewal.ON)
            .crashTakeover(Duration.ofSeconds(1))
            .permits(1)
            .release(LockTerms.Release.AWAIT)
            .onLost(OnLost.THROW);

    /** 30 s lease, 5 s wait, renewal, warning after 1 min, takeover 1 s after a crash. */
    public static final EngineSettings DEFAULTS = new EngineSettings(
            DEFAULT_TERMS,
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            Handover.DEFAULTS,
            Optional.of(""),
            Duration.ofMinutes(1),
            Map.of());

    /**
     * Checks all values.
     *
     * @param terms default terms
     * @param maxLease longest lease
     * @param maxRetryDelay longest delay
     * @param handover handover
     * @param shownPlace place
     * @param warnAfter time until the warning
     * @param locks terms by name
     * @throws IllegalArgumentException when a value is out of range
     */
    public EngineSettings {
        Objects.requireNonNull(handover, "handover");
        terms = terms.or(DEFAULT_TERMS);
        locks = Map.copyOf(locks);
        UnaryOperator<String> ofAll = term -> PREFIX + property(term);
        terms.check(ofAll);
        DurationText.check(PREFIX + "max-lease", maxLease, LockRequest.MIN_LEASE, LockRequest.MAX_DURATION);
        LockTerms renewed = terms.renewal(Renewal.ON); // a maximum hold of all locks concerns renewed ones
        checkTogether(ofAll, renewed, renewed, maxLease);
        DurationText.check(
                PREFIX + "retry.max-delay", maxRetryDelay, SHORTEST_MAX_RETRY_DELAY, LockRequest.MAX_DURATION);
        DurationText.check(
                () -> PREFIX + "warn-after",
                warnAfter,
                Duration.ofMillis(1),
                LockRequest.MAX_DURATION,
                "disable the warning");
        for (Map.Entry<String, LockTerms> entry : locks.entrySet()) {
            UnaryOperator<String> ofName = term -> PREFIX + "locks." + entry.getKey() + '.' + property(term);
            entry.getValue().check(ofName);
            checkTogether(ofName, entry.getValue(), entry.getValue().or(terms), maxLease);
        }
    }

    /** The name of a term in the configuration. */
    private static String property(String term) {
        return UPPER_CASE
                .matcher(term)
                .replaceAll(letter -> '-' + letter.group().toLowerCase(Locale.ROOT));
    }

    /** {@return a copy that stores only the instance with each lock} */
    public EngineSettings withoutOwner() {
        return with(Optional.empty(), terms);
    }

    /**
     * {@return a copy for an instance at a place, unless only the instance is stored}
     *
     * @param place host and application
     */
    public EngineSettings at(String place) {
        return with(shownPlace.map(unknown -> place), terms);
    }

    /**
     * {@return a copy with another default takeover time}
     *
     * @param takeover time; zero for none
     */
    public EngineSettings withCrashTakeover(Duration takeover) {
        return with(shownPlace, terms.crashTakeover(takeover));
    }

    private EngineSettings with(Optional<String> place, LockTerms defaults) {
        return new EngineSettings(defaults, maxLease, maxRetryDelay, handover, place, warnAfter, locks);
    }

    /** {@return the default lease} */
    public Duration lease() {
        return terms.lease().orElseThrow();
    }

    /**
     * {@return all terms of a request: its own, else configured for its name, else the defaults} There may be no
     * minimum hold and no maximum hold.
     *
     * @param request request
     * @throws IllegalArgumentException when its lease, minimum hold, maximum hold or permits are out of range, it has a
     *     maximum hold and is not renewed, or a condition of the minimum hold and none, or it is read and has several
     *     permits or a minimum hold
     */
    public LockTerms completed(LockRequest request) {
        LockTerms own = request.terms();
        LockTerms completed =
                own.or(locks.getOrDefault(request.name(), LockTerms.NONE)).or(terms);
        checkTogether(subject(request), own, completed, maxLease);
        if (own.minHoldIf() == MinHoldIf.SUCCESS && completed.minHold().isEmpty()) {
            throw new IllegalArgumentException(subject(request).apply("minHoldIf")
                    + " is SUCCESS, which has no effect without a minimum hold. Set minHold, or leave minHoldIf out");
        }
        if (request.keys().size() > 1) {
            completed.checkPermits(joinedKeys(request), request.keys().size());
        }
        if (completed.reads()) {
            completed.checkReading(joinedKeys(request));
        }
        return completed;
    }

    /**
     * Checks the terms of an extension.
     *
     * @param request with the terms
     * @param held present terms of the hold
     * @throws IllegalArgumentException when a duration is out of range, or a maximum hold is set and the hold is not
     *     renewed
     */
    public void checkExtension(LockRequest request, LockTerms held) {
        LockTerms own = request.terms();
        // Not its minimum and maximum hold, which count from the grant, while those of the extension count from now.
        LockTerms kept = LockTerms.NONE.lease(held.lease().orElseThrow()).renewal(held.renewal());
        checkTogether(subject(request), own, own.or(kept), maxLease);
    }

    private static UnaryOperator<String> subject(LockRequest request) {
        return term -> term + " of lock '" + joinedKeys(request) + "'";
    }

    private static String joinedKeys(LockRequest request) {
        return LockRequest.printable(String.join(", ", request.keys()));
    }

    /** Configured for all locks, a maximum hold may be below the lease of one. */
    private static void checkTogether(
            UnaryOperator<String> subject, LockTerms own, LockTerms completed, Duration maxLease) {
        Duration lease = completed.lease().orElseThrow();
        if (lease.compareTo(maxLease) > 0) {
            throw outOfRange(
                    subject.apply("lease"),
                    lease,
                    ", above distributed-lock.max-lease (" + DurationText.exactly(maxLease)
                            + "). Lower the lease, which is renewed while the work runs (unless that is switched off),"
                            + " or set distributed-lock.max-lease=" + DurationText.exactly(lease)
                            + " in all applications that share locks: for that time no free lock is granted after each"
                            + " restart or failover of Redis");
        }
        Duration minHold = completed.minHold().orElse(Duration.ZERO);
        if (minHold.compareTo(lease) > 0) {
            throw outOfRange(
                    subject.apply("minHold"),
                    minHold,
                    ", above the lease of the lock (" + DurationText.exactly(lease)
                            + "). Lower the minimum hold, or raise the lease; for minutes, store the time of the last"
                            + " run, or the end of a reservation, with the data: a lock is no reservation");
        }
        own.checkRenewed(subject, completed.renewal());
        Duration maxHold = own.maxHold().orElse(lease);
        if (maxHold.compareTo(lease) < 0) {
            throw outOfRange(
                    subject.apply("maxHold"),
                    maxHold,
                    ", below the lease of the lock (" + DurationText.exactly(lease)
                            + "), for which it is held anyway. Raise the maximum hold, or lower the lease");
        }
    }

    private static IllegalArgumentException outOfRange(String subject, Duration value, String rule) {
        return new IllegalArgumentException(subject + " is " + DurationText.exactly(value) + rule);
    }

    /** {@return the shortest takeover time of any lock; empty if none is ever taken over} */
    public Optional<Duration> shortestCrashTakeover() {
        return Stream.concat(Stream.of(terms), locks.values().stream())
                .flatMap(each -> each.crashTakeover().stream())
                .filter(time -> !time.isZero())
                .min(Comparator.naturalOrder());
    }

    /**
     * Limits of handing a lock over to waiters of the same instance while other instances wait.
     *
     * @param max maximum number in a row; zero disables handovers entirely
     * @param maxTime maximum time since the first other waiting instance was detected
     */
    public record Handover(int max, Duration maxTime) {

        /**
         * Initial number of fencing tokens per grant if callers of this instance wait: one per hold, up to {@link
         * AcquireCommand#MAX_FENCING_TOKENS} if they are used up within {@link #maxTime}. It limits handovers even if
         * the notice of another waiting instance is lost.
         */
        public static final int FENCING_TOKENS = 64;

        /** 16 handovers or 50 ms, whichever comes first. */
        public static final Handover DEFAULTS = upTo(16);

        /**
         * Checks the number.
         *
         * @param max maximum number
         * @param maxTime maximum time
         * @throws IllegalArgumentException when the number is out of range
         */
        public Handover {
            if (max < 0 || max > FENCING_TOKENS) {
                throw new IllegalArgumentException(
                        PREFIX + "handover.max is " + max + "; it must be between 0 and " + FENCING_TOKENS);
            }
        }

        /**
         * {@return limits of this number and 50 ms}
         *
         * @param max maximum number
         * @throws IllegalArgumentException when the number is out of range
         */
        public static Handover upTo(int max) {
            return new Handover(max, Duration.ofMillis(50));
        }

        /**
         * {@return the maximum number of fencing tokens per grant: {@value AcquireCommand#MAX_FENCING_TOKENS}, or 1
         * without handover}
         */
        public int fencingTokens() {
            return max > 0 ? AcquireCommand.MAX_FENCING_TOKENS : 1;
        }

        /**
         * {@return whether a handover is in time} For readers that join a hold, this is the only limit, since they hold
         * the lock at the same time.
         *
         * @param nanosSinceWanted time since others wait for the lock
         */
        public boolean isInTime(long nanosSinceWanted) {
            return max > 0 && nanosSinceWanted < maxTime.toNanos();
        }
    }
}
