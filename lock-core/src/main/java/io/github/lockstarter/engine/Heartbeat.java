package io.github.lockstarter.engine;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.CrashDetection.Beat;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.TakeoverCondition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reports to the store at regular intervals that this instance is alive. For a takeover time after an answered beat
 * was sent, no lock of this instance is taken over. Never begins where the store detects no crashes, or no takeover is
 * configured and no session decides.
 *
 * <p>A <em>period</em> lasts while the answers name the same history and takeover. A lock confirmed in an earlier
 * period may have been taken over, and is renewed once in the present one. It is <em>void</em>, never to be confirmed
 * again, if a failover may have lost the record of its takeover:
 *
 * <pre>
 *   history in the answer                 locks are void if confirmed before
 *   the same                              (none is void)
 *   direct successor, and the server ran  NONE: as below; ACKNOWLEDGED_BY_REPLICAS: the period of the
 *   for the whole gap                     latest known takeover
 *   any other                             this period if the gap is too long, otherwise the period of
 *                                         the latest known takeover
 * </pre>
 *
 * <p>The gap lasts from sending the last answered beat to this answer; it is too long if locks could be taken over
 * meanwhile.
 *
 * <p>The timer's thread sends beats, and so do callers that need an answer; answers arrive on any thread and replace
 * {@link #state} as a whole. An answer that arrives after a later beat's is ignored.
 */
final class Heartbeat extends TimerEntry {

    static final long NO_PERIOD = 0;

    private static final String UNANSWERED = "The store does not answer this instance at the moment: the locks that it"
            + " acquires now are left to their leases if it crashes, and those that it has may be taken over";

    private static final CrashDetection NONE = new CrashDetection() {
        @Override
        public CompletionStage<Optional<Beat>> beat(List<String> waitedFor) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public Duration commandTimeout() {
            return Duration.ZERO;
        }
    };

    private static final Beat NO_ANSWER = new Beat("", "", "", Duration.ZERO, List.of());

    /** A beat concerns all locks. */
    private static final String ANY_KEY = "";

    private static final int BEATS_PER_TAKEOVER = 4;

    /**
     * Latest answer.
     *
     * @param period present period, from 1
     * @param takeoverPeriod period that began with the latest known takeover
     * @param voidedAcknowledged locks confirmed before this period are void if takeovers are acknowledged
     * @param voided same for {@link TakeoverCondition#NONE}
     */
    private record State(
            long number,
            Moment sent,
            Beat beat,
            long period,
            long takeoverPeriod,
            long voidedAcknowledged,
            long voided) {

        State next(long later, Moment laterSent, Beat answer, Gap gap) {
            boolean first = period == NO_PERIOD;
            boolean sameHistory = first || answer.history().equals(beat.history());
            // The end of the store's record is no new takeover.
            boolean newTakeover =
                    !first && !answer.takeover().isEmpty() && !answer.takeover().equals(beat.takeover());
            long present = first || newTakeover || !sameHistory ? period + 1 : period;
            long latestTakeover = newTakeover ? present : takeoverPeriod;
            boolean keepsAcknowledged = answer.historyBefore().equals(beat.history())
                    && answer.runningFor().compareTo(gap.lasted) >= 0;
            long lost = gap.isTooLong ? present : latestTakeover;
            long lostAcknowledged = keepsAcknowledged ? latestTakeover : lost;
            return new State(
                    later,
                    laterSent,
                    answer,
                    present,
                    latestTakeover,
                    sameHistory ? voidedAcknowledged : Math.max(voidedAcknowledged, lostAcknowledged),
                    sameHistory ? voided : Math.max(voided, lost));
        }
    }

    private record Gap(Duration lasted, boolean isTooLong) {}

    private final LockBackend backend;
    private final Outages outages;
    private final EngineClock clock;
    private final EngineTimer timer;
    private final Supplier<List<String>> waitedFor;
    private final Consumer<List<String>> afterBeat;
    private final boolean configured;
    private final CrashDetection detection;
    private final long shortestTakeoverNanos;
    private final AtomicLong beats = new AtomicLong();

    /** Written under this object's monitor. */
    private volatile State state;

    private volatile CompletableFuture<Void> sharedBeat = CompletableFuture.completedFuture(null);

    /**
     * @param outages receives the results, so an idle instance detects outages
     * @param waitedFor keys that callers wait for and other instances hold
     * @param afterBeat called on any thread after a beat was sent, and after its answer with the keys of crashed owners
     */
    Heartbeat(
            LockBackend backend,
            Outages outages,
            EngineSettings settings,
            EngineClock clock,
            EngineTimer timer,
            Supplier<List<String>> waitedFor,
            Consumer<List<String>> afterBeat) {
        Optional<Duration> shortest = settings.shortestCrashTakeover();
        this.backend = backend;
        this.outages = outages;
        this.clock = clock;
        this.timer = timer;
        this.waitedFor = waitedFor;
        this.afterBeat = afterBeat;
        this.configured = shortest.isPresent();
        // A session ends even without a configured takeover.
        this.detection = backend.crashDetection()
                .filter(found -> configured || found.certainTime().isPresent())
                .orElse(NONE);
        this.shortestTakeoverNanos = shortest.orElse(Duration.ZERO).toNanos();
        this.state = new State(0, Moment.now(clock), NO_ANSWER, NO_PERIOD, NO_PERIOD, NO_PERIOD, NO_PERIOD);
    }

    void begin() {
        if (detection != NONE) {
            timer.schedule(this, clock.nanos());
        }
    }

    @Override
    public void fire() {
        timer.schedule(this, clock.nanos() + shortestNanos() / BEATS_PER_TAKEOVER);
        CompletableFuture<?> unused = beat(isOfSession() ? List.of() : waitedFor.get());
        afterBeat.accept(List.of());
    }

    /** Concurrent callers share one beat. Completed, never exceptionally, once its answer, if any, is processed. */
    CompletableFuture<Void> beatNow() {
        CompletableFuture<Void> running = sharedBeat;
        if (running.isDone()) {
            running = beat(List.of());
            sharedBeat = running; // racing callers may each send one
        }
        return running;
    }

    private CompletableFuture<Void> beat(List<String> keys) {
        long number = beats.incrementAndGet();
        Moment sent = Moment.now(clock);
        long epoch = outages.epoch();
        return BackendGuard.stageOf(() -> detection.beat(keys))
                .thenApply(answer -> {
                    EngineLog.guard("Noticing a beat", () -> outages.ended(ANY_KEY, answer, epoch));
                    return answer;
                })
                .handle((answer, failure) ->
                        BackendGuard.resultOf(answer, failure, broken -> unanswered(broken, epoch)))
                .thenAccept(answer -> answer.ifPresent(beat -> answered(number, sent, beat)))
                .toCompletableFuture();
    }

    private Optional<Beat> unanswered(Throwable failure, long epoch) {
        outages.failed(ANY_KEY, failure, epoch);
        return Optional.empty();
    }

    private void answered(long number, Moment sent, Beat beat) {
        synchronized (this) {
            State known = state;
            if (number - known.number <= 0) {
                return;
            }
            Gap gap = new Gap(
                    Duration.ofNanos(clock.nanos() - known.sent.nanos()),
                    Deadline.of(known.sent, shortestNanos()).isOver(Moment.now(clock)));
            state = known.next(number, sent, beat, gap);
        }
        afterBeat.accept(beat.abandoned());
    }

    /** Time for which a lock is certain: the session's, otherwise its takeover time. */
    long certainNanos(long takeoverNanos) {
        return detection.certainTime().map(Duration::toNanos).orElse(takeoverNanos);
    }

    private long shortestNanos() {
        return certainNanos(shortestTakeoverNanos);
    }

    Duration commandTimeout() {
        return detection.commandTimeout();
    }

    /** For an attempt's token: 0 if the lease is not longer, a session decides, or no beat was answered recently. */
    long takeoverMillis(Duration takeover, Duration lease) {
        return takeover.compareTo(lease) < 0 && detectsCrashes() ? takeover.toMillis() : 0;
    }

    TakeoverCondition takeoverCondition() {
        return detection.takeoverCondition();
    }

    /** Whether a grant to the token can come into doubt. */
    boolean decides(LockToken token) {
        return token.takeoverMillis() != 0 || isOfSession();
    }

    /** Whether the store currently detects crashes of owners, by their locks' takeover times. */
    boolean detectsCrashes() {
        return !isOfSession() && isAnswered();
    }

    boolean hearsSignals() {
        return detection.hearsSignals();
    }

    /** By configuration and store. */
    CrashTakeover supported() {
        CrashTakeover byStore = backend.crashTakeover();
        return configured || byStore.state() == CrashTakeover.State.UNNEEDED
                ? byStore
                : CrashTakeover.off("distributed-lock.crash-takeover is 0");
    }

    /** At present. */
    CrashTakeover takeover() {
        CrashTakeover supported = supported();
        return supported.state() != CrashTakeover.State.ON || detection == NONE || isAnswered()
                ? supported
                : new CrashTakeover(CrashTakeover.State.INTERRUPTED, UNANSWERED, "");
    }

    /** Whether sessions decide, not tokens' takeover times. */
    boolean isOfSession() {
        return detection.certainTime().isPresent();
    }

    /** {@link #NO_PERIOD} before the first answer. */
    long period() {
        return state.period;
    }

    /** Whether a beat was answered so recently that no lock of this instance can be taken over. */
    boolean isAnswered() {
        State known = state;
        return known.period != NO_PERIOD
                && !Deadline.of(known.sent, shortestNanos()).isOver(Moment.now(clock));
    }

    boolean isOf(long period, String history) {
        State known = state;
        return known.period == period && known.beat.history().equals(history);
    }

    boolean isOf(String history) {
        return state.beat.history().equals(history);
    }

    /** Whether a lock confirmed in the period is certain. */
    boolean covers(long period, long takeoverNanos) {
        State known = state;
        return known.period != NO_PERIOD
                && known.period == period
                && !Deadline.of(known.sent, certainNanos(takeoverNanos)).isOver(Moment.now(clock));
    }

    /** Whether a lock confirmed in the period is void. */
    boolean isVoid(long period, TakeoverCondition condition) {
        State known = state;
        return period < (condition == TakeoverCondition.NONE ? known.voided : known.voidedAcknowledged);
    }
}
