package io.github.lockstarter.engine;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A lock token, and what the store grants to it: a block of fencing tokens, which the holds of this instance use up one
 * after the other. Changed under the monitor of the {@link KeyLock} only.
 *
 * <p>Knows whether the lock is certainly held, apart from its lease: whether no other instance can have taken it over.
 * Invariant: while {@link #isCertain}, the store has not given the lock to another owner by take-over since the grant.
 * The store has granted or renewed the lock in the present period of the {@link Heartbeat}, and has executed a beat
 * since, less than a take-over time ago. Any thread asks.
 */
final class Grant {

    final LockToken token;
    final long askedAt;
    private final int fencingTokens;

    /** Decides whether the lock is certain; null if only the lease does. */
    private final @Nullable Heartbeat heartbeat;

    /** 0 until the lock is granted. */
    long firstFencingToken;

    /** Which of the permits it is; meaningless until the lock is granted. Short, as it is kept for each held lock. */
    short slot;

    Optional<LockHolder> takenOverFrom = Optional.empty();

    /** Renewals that were decided and have no answer. */
    int renewing;

    /** The hold whose release waits for that. */
    @Nullable
    Hold owing;

    /** Whether an operator has taken it away, or it is given back: no further hold follows. */
    boolean isRevoked;

    private int used = 1;

    /** Whether another instance is known to wait; the next two mean nothing before that. */
    private boolean isWanted;

    private long wantedAt;
    private int handOvers;

    /** The period in which the last command was sent that granted or renewed the lock. It stays once it is void. */
    private volatile long confirmedIn;

    /** When the doubt was reported that lasts now, on the monotonic clock and never 0; 0 if none was. */
    private long doubtedAt;

    Grant(LockToken token, Attempt asked, @Nullable Heartbeat heartbeat) {
        this.token = token;
        this.askedAt = asked.sent.nanos();
        this.fencingTokens = asked.fencingTokens;
        this.heartbeat = heartbeat;
        this.confirmedIn = heartbeat == null ? Heartbeat.NO_PERIOD : heartbeat.period();
    }

    /**
     * The store has granted the lock. The answer confirms nothing if it is one of a server that the beats do not go to,
     * such as a master that was deposed.
     */
    void granted(AcquireResult.Granted answer) {
        firstFencingToken = answer.fencingToken();
        slot = (short) answer.slot();
        takenOverFrom = answer.takenOverFrom();
        if (heartbeat != null && !heartbeat.isOf(answer.history())) {
            confirmedIn = Heartbeat.NO_PERIOD;
        }
    }

    boolean isOf(String fingerprint) {
        return token.fingerprint().equals(fingerprint);
    }

    // Fencing tokens and hand-overs

    /** The last one of the block; {@link StoreCalls#NO_GRANT} until the lock is granted. */
    long lastFencingToken() {
        return firstFencingToken == StoreCalls.NO_GRANT ? StoreCalls.NO_GRANT : firstFencingToken + fencingTokens - 1;
    }

    /** Releases what nobody takes, wherever it was granted. */
    ReleaseCommand releaseCommand(String key, int permits) {
        boolean isGranted = firstFencingToken != StoreCalls.NO_GRANT;
        Slots slots = isGranted ? Slots.one(slot) : Slots.first(permits);
        return new ReleaseCommand(key, token, lastFencingToken(), Wait.UNCHANGED, Duration.ZERO, slots);
    }

    boolean isWanted() {
        return isWanted;
    }

    /** Another instance waits; what was known first counts. */
    void wanted(long now) {
        if (!isWanted) {
            isWanted = true;
            wantedAt = now;
        }
    }

    /** Whether another hold may follow one on these terms. */
    boolean allowsHandOver(ResolvedRequest terms, long now, EngineSettings.HandOver limits) {
        boolean isFree = !isWanted
                || (handOvers < limits.max()
                        && now - wantedAt < limits.maxTime().toNanos());
        return isFree && !isUsedUp() && now - terms.renewAt(askedAt) < 0;
    }

    /** The fencing token of the next hold. */
    long nextFencingToken() {
        long next = firstFencingToken + used;
        used++;
        handOvers += isWanted ? 1 : 0;
        return next;
    }

    private boolean isUsedUp() {
        return used >= fencingTokens;
    }

    /** Whether there were fencing tokens for hand-overs, and all were given out early. */
    boolean wasUsedUpEarly(long now, EngineSettings.HandOver limits) {
        return fencingTokens > 1
                && isUsedUp()
                && now - askedAt < limits.maxTime().toNanos();
    }

    // Certainty

    /** Whether the lock may be taken over after a crash, and so may come into doubt. */
    boolean takesPart() {
        return heartbeat != null;
    }

    /** For how long the lock is certain after an answer of the store, if the owner's session decides that. */
    Optional<Duration> sessionTime() {
        return heartbeat == null || !heartbeat.isOfSession()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(heartbeat.certainNanos(takeOverNanos())));
    }

    /** How long a caller is kept waiting for a certain answer, with its transaction; zero where there is no doubt. */
    Duration commandTimeout() {
        return heartbeat == null ? Duration.ZERO : heartbeat.commandTimeout();
    }

    private long takeOverNanos() {
        return TimeUnit.MILLISECONDS.toNanos(token.takeOverMillis());
    }

    /** Whether no other owner can have taken the lock over. */
    boolean isCertain() {
        long confirmed = confirmedIn; // first: a later period does not match
        return heartbeat == null || heartbeat.covers(confirmed, takeOverNanos());
    }

    /** The same at a moment. */
    boolean isCertain(Moment now) {
        long confirmed = confirmedIn;
        return heartbeat == null || heartbeat.covers(confirmed, takeOverNanos(), now);
    }

    /** Whether it can no longer be ruled out that another owner has had the lock in between. */
    boolean isUndecidable() {
        return heartbeat != null && heartbeat.isVoid(confirmedIn, token.takeOverCondition());
    }

    /** Whether a renewal would tell nothing new: it was confirmed in the present period, or never can be. */
    boolean isSettled() {
        return heartbeat == null || heartbeat.period() == confirmedIn || isUndecidable();
    }

    /** Beats now. Completed when the answer, if there is one, is taken into account; never with an exception. */
    CompletableFuture<Void> beat() {
        return heartbeat == null ? CompletableFuture.completedFuture(null) : heartbeat.beatNow();
    }

    /** It is in doubt. True if that is to be reported: once for each doubt. */
    boolean beginDoubt(long now) {
        if (doubtedAt != 0) {
            return false;
        }
        doubtedAt = now == 0 ? 1 : now;
        return true;
    }

    /** It is certain again. For how long it was in doubt, if that was reported. */
    Optional<Duration> endDoubt(long now) {
        long since = doubtedAt;
        doubtedAt = 0;
        return since == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(now - since));
    }

    /** The period in which a command is sent that is sent after this call. */
    long period() {
        return heartbeat == null ? Heartbeat.NO_PERIOD : heartbeat.period();
    }

    /**
     * Whether the answer to a renewal counts: a server that the present beats do not go to may have forgotten who has
     * the lock by now.
     *
     * @param period as read before the renewal was sent
     * @param history which has renewed the lock
     */
    boolean counts(long period, String history) {
        return heartbeat == null || heartbeat.isOf(period, history);
    }

    /**
     * The store has granted a renewal that counts: the lock token has the lock, unless the lock is void.
     *
     * @param period as read before the renewal was sent
     */
    void confirm(long period) {
        if (period > confirmedIn && !isUndecidable()) {
            confirmedIn = period;
        }
    }
}
