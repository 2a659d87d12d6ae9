package io.github.lockstarter.engine;

import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.spi.TakeOverCondition;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Whether what was granted to one lock token is certainly held, apart from its lease: whether no other instance can
 * have taken it over. All holds of a grant share it.
 *
 * <p>Invariant: while {@link #isCertain}, the store has not given the lock to another owner by take-over since the
 * grant. The store has granted or renewed the lock in the present period of the {@link Heartbeat}, and has executed a
 * beat since, less than a take-over time ago.
 *
 * <p>A doubt begins when it is reported, and ends once, for the thread that {@link #endDoubt ends} it.
 *
 * <p>Any thread asks and confirms. {@link #confirmedIn} only grows once the lock is granted, and stays as it is once it
 * is void.
 */
final class Certainty {

    /** Of what is never taken over. */
    static final Certainty BY_LEASE = new Certainty(null, 0, TakeOverCondition.NONE, Heartbeat.NO_PERIOD);

    private static final AtomicLongFieldUpdater<Certainty> DOUBTED_AT =
            AtomicLongFieldUpdater.newUpdater(Certainty.class, "doubtedAt");
    private static final AtomicLongFieldUpdater<Certainty> CONFIRMED_IN =
            AtomicLongFieldUpdater.newUpdater(Certainty.class, "confirmedIn");

    private final @Nullable Heartbeat heartbeat;
    private final long takeOverNanos;
    private final TakeOverCondition condition;

    /** The period in which the last command was sent that granted or renewed the lock; changed by its updater. */
    private volatile long confirmedIn;

    /** When the doubt was reported that lasts now, on the monotonic clock and never 0; 0 if none was. */
    private volatile long doubtedAt;

    Certainty(@Nullable Heartbeat heartbeat, long takeOverNanos, TakeOverCondition condition, long confirmedIn) {
        this.heartbeat = heartbeat;
        this.takeOverNanos = takeOverNanos;
        this.condition = condition;
        this.confirmedIn = confirmedIn;
    }

    /** Whether the lock may be taken over after a crash, and so may come into doubt. */
    boolean takesPart() {
        return heartbeat != null;
    }

    /** For how long the lock is certain after an answer of the store, if the owner's session decides that. */
    Optional<Duration> sessionTime() {
        Heartbeat known = heartbeat;
        return known == null || !known.isOfSession()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(known.certainNanos(takeOverNanos)));
    }

    /** How long a caller is kept waiting for a certain answer, with its transaction; zero where there is no doubt. */
    Duration commandTimeout() {
        Heartbeat known = heartbeat;
        return known == null ? Duration.ZERO : known.commandTimeout();
    }

    /** Whether no other owner can have taken the lock over. */
    boolean isCertain() {
        long confirmed = confirmedIn; // first: a later period does not match
        Heartbeat known = heartbeat;
        return known == null || known.covers(confirmed, takeOverNanos);
    }

    /** The same at a moment. */
    boolean isCertain(Moment now) {
        long confirmed = confirmedIn;
        Heartbeat known = heartbeat;
        return known == null || known.covers(confirmed, takeOverNanos, now);
    }

    /** Whether it can no longer be ruled out that another owner has had the lock in between. */
    boolean isUndecidable() {
        Heartbeat known = heartbeat;
        return known != null && known.isVoid(confirmedIn, condition);
    }

    /** Whether a renewal would tell nothing new: it was confirmed in the present period, or never can be. */
    boolean isSettled() {
        Heartbeat known = heartbeat;
        return known == null || known.period() == confirmedIn || isUndecidable();
    }

    /** Beats now. Completed when the answer, if there is one, is taken into account; never with an exception. */
    CompletableFuture<Void> beat() {
        Heartbeat known = heartbeat;
        return known == null ? CompletableFuture.completedFuture(null) : known.beatNow();
    }

    /** It is in doubt. True for the one caller that has to report it. */
    boolean beginDoubt(long now) {
        return DOUBTED_AT.compareAndSet(this, 0, now == 0 ? 1 : now);
    }

    /** It is certain again. For the one caller that has to report it, for how long it was in doubt. */
    Optional<Duration> endDoubt(long now) {
        long since = doubtedAt == 0 ? 0 : DOUBTED_AT.getAndSet(this, 0);
        return since == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(now - since));
    }

    /** The period in which a command is sent that is sent after this call. */
    long period() {
        Heartbeat known = heartbeat;
        return known == null ? Heartbeat.NO_PERIOD : known.period();
    }

    /**
     * The store has granted the lock. The answer confirms nothing if it is one of a server that the beats do not go to,
     * such as a master that was deposed.
     *
     * @param history which has granted the lock
     */
    void granted(String history) {
        Heartbeat known = heartbeat;
        if (known != null && !known.isOf(history)) {
            confirmedIn = Heartbeat.NO_PERIOD;
        }
    }

    /**
     * Whether the answer to a renewal counts: a server that the present beats do not go to may have forgotten who has
     * the lock by now.
     *
     * @param period as read before the renewal was sent
     * @param history which has renewed the lock
     */
    boolean counts(long period, String history) {
        Heartbeat known = heartbeat;
        return known == null || known.isOf(period, history);
    }

    /**
     * The store has granted a command that counts: the lock token has the lock, unless the lock is void.
     *
     * @param period as read before the command was sent
     */
    void confirm(long period) {
        long last = confirmedIn;
        while (period > last && !isUndecidable() && !CONFIRMED_IN.compareAndSet(this, last, period)) {
            last = confirmedIn;
        }
    }
}
