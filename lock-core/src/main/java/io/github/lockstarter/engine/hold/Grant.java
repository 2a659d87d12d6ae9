package io.github.lockstarter.engine.hold;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.engine.heartbeat.Certainty;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * One grant of the backend, for as long as this instance keeps the lock: the time of one {@link Hold}, or of several
 * that follow one another by a hand-over. Each of them has a fencing token of its own, out of those that were
 * granted.
 *
 * <p>Invariants: the fencing tokens are given out in growing order, each once; once another instance is known to wait,
 * at most {@link EngineSettings.HandOver#max()} hand-overs follow, and none after
 * {@link EngineSettings.HandOver#maxTime()}; none ever follows once the first renewal is due, at about a third of the
 * lease, which also covers a notice that was lost, so that no answer to a renewal belongs to a hold that has ended;
 * none follows once the grant is revoked, and of a hand-over that had begun before, either the thread that revokes sees
 * the successor among the {@link Holds}, or the successor's thread sees the mark after it has put it there.
 *
 * <p>The mailbox's thread and the thread that ends a hold meet here: all that changes is in {@link #state}.
 */
public final class Grant {

    /** {@code handOvers}: since another instance is known to wait; {@code wantedAt} means nothing before that. */
    private record State(int usedFencingTokens, boolean wanted, long wantedAt, int handOvers, boolean revoked) {}

    private static final State FRESH = new State(1, false, 0, 0, false);
    private static final AtomicReferenceFieldUpdater<Grant, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(Grant.class, State.class, "state");

    /**
     * What one attempt asked for.
     *
     * @param token the lock token of the attempt
     * @param fencingTokens how many fencing tokens
     * @param terms the terms
     * @param sent before the attempt was sent
     * @param certainty of what it is granted
     */
    public record Asked(LockToken token, int fencingTokens, ResolvedRequest terms, Moment sent, Certainty certainty) {}

    public final LockToken token;
    final long firstFencingToken;
    public final long lastFencingToken;

    private final ResolvedRequest terms;
    final long askedAt;

    /** Whether no other owner can have taken it over. */
    public final Certainty certainty;

    final Optional<LockHolder> takenOverFrom;

    /** Changed by its updater. */
    private volatile State state = FRESH;

    /**
     * What one attempt was granted.
     *
     * @param asked what the attempt asked for
     * @param granted what it was granted
     */
    public Grant(Asked asked, AcquireResult.Granted granted) {
        this.token = asked.token;
        this.firstFencingToken = granted.fencingToken();
        this.lastFencingToken = firstFencingToken + asked.fencingTokens - 1;
        this.terms = asked.terms;
        this.askedAt = asked.sent.nanos();
        this.certainty = asked.certainty;
        certainty.granted(granted.history());
        this.takenOverFrom = granted.takenOverFrom();
    }

    /** Another instance waits; what was known first counts. */
    public void wanted(long now) {
        State known = state;
        while (!known.wanted
                && !STATE.compareAndSet(this, known, new State(known.usedFencingTokens, true, now, 0, known.revoked))) {
            known = state;
        }
    }

    /** It was taken away, or is given back: whatever its holds are doing, no further one follows. */
    public void revoke() {
        State known = state;
        while (!known.revoked
                && !STATE.compareAndSet(
                        this,
                        known,
                        new State(known.usedFencingTokens, known.wanted, known.wantedAt, known.handOvers, true))) {
            known = state;
        }
    }

    /** Whether it was taken away, or is given back. To be asked after a hold of it was added. */
    public boolean isRevoked() {
        return state.revoked;
    }

    /** Whether another instance is known to wait. */
    public boolean isWanted() {
        return state.wanted;
    }

    /** Whether the lock may be handed over now. */
    public boolean allowsHandOver(long now, EngineSettings.HandOver limits) {
        return allows(state, now, limits);
    }

    /** The fencing token of the next hold; empty if there must be none. */
    public OptionalLong handOver(long now, EngineSettings.HandOver limits) {
        while (true) {
            State known = state;
            if (!allows(known, now, limits)) {
                return OptionalLong.empty();
            }
            State next = new State(
                    known.usedFencingTokens + 1,
                    known.wanted,
                    known.wantedAt,
                    known.handOvers + (known.wanted ? 1 : 0),
                    false);
            if (STATE.compareAndSet(this, known, next)) {
                return OptionalLong.of(firstFencingToken + known.usedFencingTokens);
            }
        }
    }

    /** Whether there were fencing tokens for hand-overs, and all were given out in less than this time. */
    public boolean wasUsedUpWithin(Duration time, long now) {
        return lastFencingToken != firstFencingToken && isUsedUp(state) && now - askedAt < time.toNanos();
    }

    private boolean isUsedUp(State known) {
        return firstFencingToken + known.usedFencingTokens > lastFencingToken;
    }

    /** The owner that it was taken over from, if it was. */
    public Optional<LockHolder> takenOverFrom() {
        return takenOverFrom;
    }

    private boolean allows(State known, long now, EngineSettings.HandOver limits) {
        if (known.revoked || isUsedUp(known) || now - terms.renewAt(askedAt) >= 0) {
            return false;
        }
        return !known.wanted
                || (known.handOvers < limits.max()
                        && now - known.wantedAt < limits.maxTime().toNanos());
    }
}
