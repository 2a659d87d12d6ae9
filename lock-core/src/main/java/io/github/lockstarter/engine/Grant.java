package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHolder;
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
 * A lock token and its grant: a block of fencing tokens that successive holds of this instance use. Changed only under
 * the monitor of the {@link KeyLock}.
 *
 * <p>Decides whether the lock is certain, independently of its lease. Invariant: while {@link #isCertain}, the store
 * has not given the lock to another owner by takeover since the grant: it granted or renewed the lock in the present
 * period of the {@link Heartbeat}, and executed a later beat less than a takeover time ago. Any thread may query this.
 */
final class Grant {

    final LockToken token;
    final long requestedAt;
    private final int fencingTokens;

    /** Null if the lease alone decides. */
    private final @Nullable Heartbeat heartbeat;

    long firstFencingToken;

    /** Undefined before the grant. A short saves memory per held lock. */
    short slot;

    Optional<LockHolder> takenOverFrom = Optional.empty();

    /** Unanswered renewals, and a downgrade. */
    int renewing;

    /** By an operator: no further hold follows. */
    boolean revoked;

    private int used = 1;

    /** {@link #wantedAt} and {@link #handovers} are undefined until then. */
    private boolean wanted;

    private long wantedAt;
    private int handovers;

    /** Period in which the latest grant or valid renewal was sent; unchanged once void. */
    private volatile long confirmedIn;

    /** Monotonic time of the reported doubt; 0 for none. */
    private long doubtedAt;

    Grant(LockToken token, long requestedAt, int fencingTokens, @Nullable Heartbeat heartbeat) {
        this.token = token;
        this.requestedAt = requestedAt;
        this.fencingTokens = fencingTokens;
        this.heartbeat = heartbeat;
        this.confirmedIn = heartbeat == null ? Heartbeat.NO_PERIOD : heartbeat.period();
    }

    /** An answer from a server that does not receive the beats, such as a deposed master, confirms nothing. */
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

    // Fencing tokens and handovers

    /** {@link StoreCalls#NO_GRANT} until the lock is granted. */
    long lastFencingToken() {
        return firstFencingToken == StoreCalls.NO_GRANT ? StoreCalls.NO_GRANT : firstFencingToken + fencingTokens - 1;
    }

    /** Gives the grant back; before the answer, for all slots it may have. */
    ReleaseCommand releaseCommand(String key, Slots candidates) {
        boolean granted = firstFencingToken != StoreCalls.NO_GRANT;
        Slots slots = granted ? Slots.one(slot) : candidates;
        return new ReleaseCommand(key, token, lastFencingToken(), Wait.UNCHANGED, Duration.ZERO, slots);
    }

    boolean isWanted() {
        return wanted;
    }

    /** Another instance waits; the first report counts. */
    void wanted(long now) {
        if (!wanted) {
            wanted = true;
            wantedAt = now;
        }
    }

    /**
     * Only before the first renewal is due: a hold that was renewed goes to the store. Once another instance waits,
     * only within the limits.
     */
    boolean allowsHandover(ResolvedRequest request, long now, EngineSettings.Handover limits) {
        return (!wanted || (handovers < limits.max() && limits.isInTime(now - wantedAt)))
                && !isUsedUp()
                && isYoung(request, now);
    }

    /** Whether a writer may pass a reader of this instance that came before it. */
    boolean allowsOvertaking(long now, EngineSettings.Handover limits) {
        return used <= limits.max() && now - requestedAt < limits.maxTime().toNanos();
    }

    private boolean isYoung(ResolvedRequest request, long now) {
        return now - request.renewAt(requestedAt) < 0;
    }

    /** Whether another reader may join. Even if the message is lost that another instance waits, this ends in time. */
    boolean allowsReader(ResolvedRequest request, long now, EngineSettings.Handover limits) {
        return (!wanted || limits.isInTime(now - wantedAt)) && isYoung(request, now) && isCertain();
    }

    long nextFencingToken() {
        long next = firstFencingToken + used;
        used++;
        handovers += wanted ? 1 : 0;
        return next;
    }

    private boolean isUsedUp() {
        return used >= fencingTokens;
    }

    /** All tokens of a block used before the time limit of handovers. */
    boolean wasUsedUpEarly(long now, EngineSettings.Handover limits) {
        return fencingTokens > 1
                && isUsedUp()
                && now - requestedAt < limits.maxTime().toNanos();
    }

    // Certainty

    boolean canBeInDoubt() {
        return heartbeat != null;
    }

    /** Empty unless sessions decide. */
    Optional<Duration> sessionTime() {
        return heartbeat == null || !heartbeat.isOfSession()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(heartbeat.certainNanos(takeoverNanos())));
    }

    /** Longest wait in doubt; zero if the lock cannot come into doubt. */
    Duration commandTimeout() {
        return heartbeat == null ? Duration.ZERO : heartbeat.commandTimeout();
    }

    private long takeoverNanos() {
        return TimeUnit.MILLISECONDS.toNanos(token.takeoverMillis());
    }

    boolean isCertain() {
        long confirmed = confirmedIn; // read first: then a new period does not match
        return heartbeat == null || heartbeat.covers(confirmed, takeoverNanos());
    }

    /** Why the lock is lost if the store no longer has it. */
    LossCause causeIfGone() {
        return isCertain() ? LossCause.OWNER_CHANGED : LossCause.TAKEN_OVER;
    }

    /** Never to be confirmed again: see {@link Heartbeat}. */
    boolean isVoid() {
        return heartbeat != null && heartbeat.isVoid(confirmedIn, token.takeoverCondition());
    }

    /** Whether a confirmation is pointless: it is confirmed in the present period, or void. */
    boolean isSettled() {
        return heartbeat == null || heartbeat.period() == confirmedIn || isVoid();
    }

    CompletableFuture<Void> beat() {
        return heartbeat == null ? CompletableFuture.completedFuture(null) : heartbeat.beatNow();
    }

    /** True if the doubt is to be reported: once per doubt. */
    boolean beginDoubt(long now) {
        if (doubtedAt != 0) {
            return false;
        }
        doubtedAt = now == 0 ? 1 : now;
        return true;
    }

    /** Duration of the doubt, if it was reported. */
    Optional<Duration> endDoubt(long now) {
        long since = doubtedAt;
        doubtedAt = 0;
        return since == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(now - since));
    }

    /** Current period; read before sending a command. */
    long period() {
        return heartbeat == null ? Heartbeat.NO_PERIOD : heartbeat.period();
    }

    /**
     * Whether the answer to a renewal sent in the period is valid: a server that no longer receives the beats may have
     * lost the record of a takeover.
     */
    boolean isValid(long period, String history) {
        return heartbeat == null || heartbeat.isOf(period, history);
    }

    /** After a valid renewal sent in the period; no effect if void. */
    void confirm(long period) {
        if (period > confirmedIn && !isVoid()) {
            confirmedIn = period;
        }
    }
}
