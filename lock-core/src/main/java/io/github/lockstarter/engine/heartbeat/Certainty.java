package io.github.lockstarter.engine.heartbeat;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Whether what was granted to one lock token is certainly held, apart from its lease: whether no other instance can
 * have taken it over.
 *
 * <p>Invariant: while {@link #isCertain}, the store cannot have given the lock to another owner by take-over. It is
 * certain for the take-over time, less the allowance for drift, from the sending of the last command by which the store
 * confirmed the lock, since that command removed the mark of a take-over that had begun; and also while the epoch lasts
 * in which that command was sent, and the {@link Heartbeat} is heard, since no take-over begins then.
 *
 * <p>A lock that is in doubt when a store answers that may have forgotten a take-over is <em>undecidable</em>: another
 * instance may have had the lock, and have released it. It is never certain again.
 *
 * <p>A doubt begins when it is reported, and ends once, for the thread that {@link #endDoubt ends} it.
 *
 * <p>Any thread asks and confirms. {@link #confirmed} is replaced as a whole, by a later confirmation only.
 */
public final class Certainty {

    /** Of what is never taken over. */
    public static final Certainty BY_LEASE = new Certainty(null, 0, new Confirmation(0, new Moment(0, 0)));

    /**
     * What a command confirms if the store grants or renews the lock by it.
     *
     * @param epoch in which it is sent; 0 if the store does not hear this instance
     * @param sent when it is sent
     */
    public record Confirmation(long epoch, Moment sent) {}

    private static final AtomicLongFieldUpdater<Certainty> DOUBTED_AT =
            AtomicLongFieldUpdater.newUpdater(Certainty.class, "doubtedAt");
    private static final AtomicReferenceFieldUpdater<Certainty, Confirmation> CONFIRMED =
            AtomicReferenceFieldUpdater.newUpdater(Certainty.class, Confirmation.class, "confirmed");

    private final @Nullable Heartbeat heartbeat;
    private final long takeOverNanos;

    /** Changed by its updater. */
    private volatile Confirmation confirmed;

    /** Never false again. */
    private volatile boolean undecidable;

    /** When the doubt was reported that lasts now, on the monotonic clock and never 0; 0 if none was. */
    private volatile long doubtedAt;

    Certainty(@Nullable Heartbeat heartbeat, long takeOverNanos, Confirmation confirmed) {
        this.heartbeat = heartbeat;
        this.takeOverNanos = takeOverNanos;
        this.confirmed = confirmed;
    }

    /** Whether the lock may be taken over after a crash, and so may come into doubt. */
    public boolean takesPart() {
        return heartbeat != null;
    }

    /** For how long the lock is certain after an answer of the store, if the owner's session decides that. */
    public Optional<Duration> sessionTime() {
        Heartbeat known = heartbeat;
        return known == null || !known.isOfSession()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(known.certainNanos(takeOverNanos)));
    }

    /** How long a caller is kept waiting for a certain answer, with its transaction; zero where there is no doubt. */
    public Duration commandTimeout() {
        Heartbeat known = heartbeat;
        return known == null ? Duration.ZERO : known.commandTimeout();
    }

    /** Whether no other owner can have taken the lock over. */
    public boolean isCertain(EngineClock clock) {
        Heartbeat known = heartbeat;
        if (known == null) {
            return true;
        }
        Confirmation last = confirmed;
        long certainNanos = known.certainNanos(takeOverNanos);
        return !undecidable
                && (known.covers(last.epoch, certainNanos) || !Deadline.isOver(last.sent, certainNanos, clock));
    }

    /** Whether nobody can say any more that no other owner has had the lock in between. */
    public boolean isUndecidable() {
        return undecidable;
    }

    /** Whether the lock stays as it is, certain or undecidable, as long as the store goes on hearing this instance. */
    public boolean isSettled() {
        Heartbeat known = heartbeat;
        return known == null || undecidable || (known.epoch() != 0 && known.epoch() == confirmed.epoch);
    }

    /**
     * Whether to have the lock confirmed now, if it is not {@linkplain #isSettled settled}: at once if the store hears
     * this instance; before the lock comes into doubt, if it does not, but perhaps executes commands.
     */
    public boolean isConfirmationDue(EngineClock clock) {
        Heartbeat known = heartbeat;
        return known != null
                && (known.isHeard() || Deadline.isOver(confirmed.sent, known.certainNanos(takeOverNanos) / 2, clock));
    }

    /** It is in doubt. True for the one caller that has to report it. */
    public boolean beginDoubt(long now) {
        return DOUBTED_AT.compareAndSet(this, 0, now == 0 ? 1 : now);
    }

    /** It is certain again. For the one caller that has to report it, for how long it was in doubt. */
    public Optional<Duration> endDoubt(long now) {
        long since = doubtedAt == 0 ? 0 : DOUBTED_AT.getAndSet(this, 0);
        return since == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(now - since));
    }

    /** What a command confirms that is sent after this call. */
    public Confirmation ask(Moment sent) {
        Heartbeat known = heartbeat;
        return known == null ? BY_LEASE.confirmed : new Confirmation(known.epoch(), sent);
    }

    /**
     * The store has executed the command: the lock token has the lock, as far as the store has not forgotten a
     * take-over.
     *
     * @param confirmation when the command was sent
     * @param confirms whether the store certainly has forgotten none
     */
    public void confirm(Confirmation confirmation, boolean confirms, EngineClock clock) {
        if (heartbeat == null) {
            return;
        }
        if (!confirms && !isCertain(clock)) {
            undecidable = true;
            return;
        }
        Confirmation last = confirmed;
        while (confirmation.sent.nanos() - last.sent.nanos() >= 0
                && !CONFIRMED.compareAndSet(this, last, confirmation)) {
            last = confirmed;
        }
    }
}
