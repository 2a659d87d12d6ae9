package io.github.lockstarter;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * The terms of a lock, as an annotation, a request, the configuration of a name or that of all locks sets them. Unset
 * terms come from the next of these. A term has the same name in each of them, and in messages. Immutable.
 *
 * @param maxWait longest wait; zero makes one attempt
 * @param lease as {@link DistributedLock#leaseMs}
 * @param renewal whether the watchdog renews the lease
 * @param minHold as {@link LockRequest#minHold}; zero for none
 * @param minHoldIf whether the minimum hold depends on success
 * @param maxHold as {@link LockRequest#maxHold}
 * @param crashTakeover time from the end of a holder's connection to the takeover of its lock, if the store detects
 *     crashes; zero to rely on the lease alone
 * @param permits maximum number of simultaneous holders
 * @param release whether a release waits for the store's answer
 * @param onLost what happens to the work when the lock is lost
 * @param mode what the lock excludes; unset for {@link LockMode#WRITE}
 */
public record LockTerms(
        Optional<Duration> maxWait,
        Optional<Duration> lease,
        Renewal renewal,
        Optional<Duration> minHold,
        MinHoldIf minHoldIf,
        Optional<Duration> maxHold,
        Optional<Duration> crashTakeover,
        OptionalInt permits,
        Optional<Release> release,
        OnLost onLost,
        Optional<LockMode> mode) {

    /** Sets nothing. */
    public static final LockTerms NONE = new LockTerms(
            Optional.empty(),
            Optional.empty(),
            Renewal.AS_CONFIGURED,
            Optional.empty(),
            MinHoldIf.AS_CONFIGURED,
            Optional.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OnLost.AS_CONFIGURED,
            Optional.empty());

    /** A shorter time would end before a connection can be reopened. */
    private static final Duration SHORTEST_TAKEOVER = Duration.ofMillis(200);

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
     * Refuses null.
     *
     * @param maxWait longest wait
     * @param lease lease
     * @param renewal renewal
     * @param minHold minimum hold
     * @param minHoldIf condition of the minimum hold
     * @param maxHold maximum hold
     * @param crashTakeover takeover time
     * @param permits permits
     * @param release behaviour of releases
     * @param onLost behaviour at a loss
     * @param mode what the lock excludes
     */
    public LockTerms {
        Objects.requireNonNull(maxWait, "maxWait");
        Objects.requireNonNull(lease, "lease");
        Objects.requireNonNull(renewal, "renewal");
        Objects.requireNonNull(minHold, "minHold");
        Objects.requireNonNull(minHoldIf, "minHoldIf");
        Objects.requireNonNull(maxHold, "maxHold");
        Objects.requireNonNull(crashTakeover, "crashTakeover");
        Objects.requireNonNull(permits, "permits");
        Objects.requireNonNull(release, "release");
        Objects.requireNonNull(onLost, "onLost");
        Objects.requireNonNull(mode, "mode");
    }

    /**
     * {@return the terms of an annotation}
     *
     * @param annotation annotation
     * @param texts reads the text of an attribute; empty if it is blank
     * @throws IllegalArgumentException when both forms of a time are set
     */
    public static LockTerms of(DistributedLock annotation, BiFunction<String, String, Optional<Duration>> texts) {
        return new LockTerms(
                time("maxWait", annotation.maxWaitMs(), annotation.maxWait(), texts),
                time("lease", annotation.leaseMs(), annotation.lease(), texts),
                annotation.renewal(),
                time("minHold", annotation.minHoldMs(), annotation.minHold(), texts),
                annotation.minHoldIf(),
                time("maxHold", annotation.maxHoldMs(), annotation.maxHold(), texts),
                Optional.empty(),
                annotation.permits() == 0 ? OptionalInt.empty() : OptionalInt.of(annotation.permits()),
                Optional.empty(),
                annotation.onLost(),
                annotation.mode() == LockMode.READ ? Optional.of(LockMode.READ) : Optional.empty());
    }

    private static Optional<Duration> time(
            String attribute, long millis, String text, BiFunction<String, String, Optional<Duration>> texts) {
        boolean hasMillis = millis != DistributedLock.AS_CONFIGURED;
        if (hasMillis && !text.isEmpty()) {
            throw new IllegalArgumentException(
                    "it has " + attribute + "Ms = " + millis + " and " + attribute + " = \"" + text + '"');
        }
        return hasMillis ? Optional.of(Duration.ofMillis(millis)) : texts.apply(attribute, text);
    }

    /**
     * {@return these terms, with those of others where they are unset}
     *
     * @param others less specific terms
     */
    public LockTerms or(LockTerms others) {
        if (equals(NONE)) {
            return others;
        }
        if (others.equals(NONE)) {
            return this;
        }
        return new LockTerms(
                first(maxWait, others.maxWait),
                first(lease, others.lease),
                renewal == Renewal.AS_CONFIGURED ? others.renewal : renewal,
                first(minHold, others.minHold),
                minHoldIf == MinHoldIf.AS_CONFIGURED ? others.minHoldIf : minHoldIf,
                first(maxHold, others.maxHold),
                first(crashTakeover, others.crashTakeover),
                permits.isPresent() ? permits : others.permits,
                first(release, others.release),
                onLost == OnLost.AS_CONFIGURED ? others.onLost : onLost,
                first(mode, others.mode));
    }

    private static <T> Optional<T> first(Optional<T> specific, Optional<T> other) {
        return specific.isPresent() ? specific : other;
    }

    /**
     * Checks each value.
     *
     * @param subject describes a term of this record for messages, such as its property
     * @throws IllegalArgumentException when a value is out of range
     */
    public void check(UnaryOperator<String> subject) {
        check(subject, "maxWait", maxWait, Duration.ZERO, "");
        check(subject, "lease", lease, LockRequest.MIN_LEASE, "");
        check(subject, "minHold", minHold, Duration.ofMillis(1), "have none");
        check(subject, "maxHold", maxHold, LockRequest.MIN_LEASE, "");
        check(
                subject,
                "crashTakeover",
                crashTakeover,
                SHORTEST_TAKEOVER,
                "leave the locks of a crashed instance to their lease");
        if (permits.isPresent() && (permits.getAsInt() < 1 || permits.getAsInt() > LockRequest.MAX_PERMITS)) {
            throw new IllegalArgumentException(subject.apply("permits") + " is " + permits.getAsInt()
                    + "; it must be between 1 and " + LockRequest.MAX_PERMITS);
        }
    }

    /**
     * Checks the permits for a number of keys.
     *
     * @param lock the lock in the message
     * @param keys number of keys
     * @throws IllegalArgumentException when several keys have more than one permit
     */
    public void checkPermits(String lock, int keys) {
        if (permits.orElse(1) > 1 && keys > 1) {
            throw new IllegalArgumentException("Lock '" + lock + "' has " + permits.getAsInt() + " permits and " + keys
                    + " keys. Only a lock with one key can have more than one permit: leave permits out, or lock one"
                    + " key");
        }
    }

    /**
     * Checks that a lock that is read has terms of its own readers only.
     *
     * @param lock the lock in the message
     * @throws IllegalArgumentException when it has several permits or a minimum hold
     */
    public void checkReading(String lock) {
        boolean kept = minHold.filter(minimum -> !minimum.isZero()).isPresent();
        if (reads() && (permits.orElse(1) > 1 || kept)) {
            throw new IllegalArgumentException("Lock '" + lock + "' is read (mode READ) and has "
                    + (kept ? "a minimum hold" : permits.getAsInt() + " permits")
                    + ", which a lock with readers cannot have. Leave " + (kept ? "it" : "them")
                    + " out, or give the lock another name");
        }
    }

    /**
     * Checks that a maximum hold has an effect.
     *
     * @param subject describes a term of this record for messages, such as its property
     * @param completed renewal of the lock, if unset here by less specific terms
     * @throws IllegalArgumentException when a maximum hold is set for a lock that is not renewed
     */
    public void checkRenewed(UnaryOperator<String> subject, Renewal completed) {
        if (maxHold.isPresent() && completed == Renewal.OFF) {
            throw new IllegalArgumentException(subject.apply("maxHold") + " is " + DurationText.exactly(maxHold.get())
                    + ", which has no effect: the lock is not renewed, and ends with its lease. Leave out the maximum"
                    + " hold, or switch renewal on");
        }
    }

    private static void check(
            UnaryOperator<String> subject, String term, Optional<Duration> value, Duration least, String zero) {
        if (value.isPresent()) {
            DurationText.check(() -> subject.apply(term), value.get(), least, LockRequest.MAX_DURATION, zero);
        }
    }

    /**
     * {@return a copy with this longest wait}
     *
     * @param wait zero for one attempt
     */
    public LockTerms maxWait(Duration wait) {
        return new LockTerms(
                Optional.of(wait),
                lease,
                renewal,
                minHold,
                minHoldIf,
                maxHold,
                crashTakeover,
                permits,
                release,
                onLost,
                mode);
    }

    /**
     * {@return a copy with this lease}
     *
     * @param time lease
     */
    public LockTerms lease(Duration time) {
        return new LockTerms(
                maxWait,
                Optional.of(time),
                renewal,
                minHold,
                minHoldIf,
                maxHold,
                crashTakeover,
                permits,
                release,
                onLost,
                mode);
    }

    /**
     * {@return a copy with or without renewal}
     *
     * @param whether renewal
     */
    public LockTerms renewal(Renewal whether) {
        return new LockTerms(
                maxWait, lease, whether, minHold, minHoldIf, maxHold, crashTakeover, permits, release, onLost, mode);
    }

    /**
     * {@return a copy with this minimum hold}
     *
     * @param time zero for none
     */
    public LockTerms minHold(Duration time) {
        return new LockTerms(
                maxWait,
                lease,
                renewal,
                Optional.of(time),
                minHoldIf,
                maxHold,
                crashTakeover,
                permits,
                release,
                onLost,
                mode);
    }

    /**
     * {@return a copy with this condition of the minimum hold}
     *
     * @param condition such as {@link MinHoldIf#SUCCESS}
     */
    public LockTerms minHoldIf(MinHoldIf condition) {
        return new LockTerms(
                maxWait, lease, renewal, minHold, condition, maxHold, crashTakeover, permits, release, onLost, mode);
    }

    /**
     * {@return a copy with this maximum hold}
     *
     * @param time counted from the grant
     */
    public LockTerms maxHold(Duration time) {
        return new LockTerms(
                maxWait,
                lease,
                renewal,
                minHold,
                minHoldIf,
                Optional.of(time),
                crashTakeover,
                permits,
                release,
                onLost,
                mode);
    }

    /**
     * {@return a copy with this takeover time}
     *
     * @param time zero for none
     */
    public LockTerms crashTakeover(Duration time) {
        return new LockTerms(
                maxWait,
                lease,
                renewal,
                minHold,
                minHoldIf,
                maxHold,
                Optional.of(time),
                permits,
                release,
                onLost,
                mode);
    }

    /**
     * {@return a copy with this number of simultaneous holders}
     *
     * @param number permits
     */
    public LockTerms permits(int number) {
        OptionalInt limit = OptionalInt.of(number);
        return new LockTerms(
                maxWait, lease, renewal, minHold, minHoldIf, maxHold, crashTakeover, limit, release, onLost, mode);
    }

    /**
     * {@return a copy with this behaviour of releases}
     *
     * @param behaviour such as {@link Release#SEND}
     */
    public LockTerms release(Release behaviour) {
        Optional<Release> set = Optional.of(behaviour);
        return new LockTerms(
                maxWait, lease, renewal, minHold, minHoldIf, maxHold, crashTakeover, permits, set, onLost, mode);
    }

    /**
     * {@return a copy with this behaviour at a loss}
     *
     * @param behaviour such as {@link OnLost#INTERRUPT}
     */
    public LockTerms onLost(OnLost behaviour) {
        return new LockTerms(
                maxWait, lease, renewal, minHold, minHoldIf, maxHold, crashTakeover, permits, release, behaviour, mode);
    }

    /**
     * {@return a copy with this mode}
     *
     * @param what what the lock excludes
     */
    public LockTerms mode(LockMode what) {
        Optional<LockMode> set = what == LockMode.READ ? Optional.of(what) : Optional.empty();
        return new LockTerms(
                maxWait, lease, renewal, minHold, minHoldIf, maxHold, crashTakeover, permits, release, onLost, set);
    }

    /** {@return whether the lock excludes only owners that write} */
    public boolean reads() {
        return mode.orElse(LockMode.WRITE) == LockMode.READ;
    }
}
