package io.github.lockstarter.engine;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.CrashDetection.Beat;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.TakeOverCondition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reports to the store at regular intervals that this instance is alive, and remembers when the last answered beat was
 * sent: from then on, no lock of this instance is taken over for a take-over time. Never begins, and is never answered,
 * where the store detects no crashes or no take-over is configured.
 *
 * <p>A <em>period</em> is a time in which the answers name the same history and the same take-over. What was confirmed
 * in an earlier period may have been taken over since, and is renewed once in the present one. It can never be
 * confirmed again, it is <em>void</em>, where a new history may have forgotten by what lock the take-over went: where
 * a take-over is known that the lock was not renewed after, and where the new history may have forgotten the take-over
 * as well. What replicas have acknowledged is known to a server that was promoted from the history that the beats went
 * to, and has run all the time.
 *
 * <p>The timer's thread beats, and so does a caller that has to know; answers come on any thread. All that an answer
 * changes is in {@link #state}, which is replaced as a whole. An answer that comes behind the answer to a later beat is
 * ignored.
 */
final class Heartbeat extends TimerEntry {

    /** Before the first answer. */
    static final long NO_PERIOD = 0;

    private static final String UNANSWERED = "The store does not answer this instance at the moment: the locks that it"
            + " acquires now are left to their leases if it crashes, and those that it has may be taken over";

    /** Of a store whose locks end with their leases alone. */
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

    /** A beat is about all locks of the store. */
    private static final String ANY_KEY = "";

    /** How many beats there are in one take-over time. */
    private static final int BEATS = 4;

    /**
     * What the latest answer said.
     *
     * @param number of the beat
     * @param sent when the beat was sent
     * @param beat the answer
     * @param period the present one, from 1 on
     * @param traced the period that began with the last take-over
     * @param voided what was confirmed before this period is void
     * @param forgotten the same for locks whose take-over no replica had to acknowledge
     */
    private record State(long number, Moment sent, Beat beat, long period, long traced, long voided, long forgotten) {

        State next(long later, Moment laterSent, Beat answer, Gap gap) {
            boolean sameHistory = answer.history().equals(beat.history());
            // A trace that has ended says nothing new.
            boolean newTakeOver =
                    !answer.takeOver().isEmpty() && !answer.takeOver().equals(beat.takeOver());
            if (period == NO_PERIOD || (sameHistory && !newTakeOver)) {
                return new State(later, laterSent, answer, Math.max(period, 1), traced, voided, forgotten);
            }
            long begun = period + 1;
            long lastTraced = newTakeOver ? begun : traced;
            if (sameHistory) {
                return new State(later, laterSent, answer, begun, lastTraced, voided, forgotten);
            }
            boolean keepsAcknowledged = answer.historyBefore().equals(beat.history())
                    && answer.runningFor().compareTo(gap.lasted) >= 0;
            long lost = gap.isTooLong ? begun : lastTraced;
            return new State(
                    later,
                    laterSent,
                    answer,
                    begun,
                    lastTraced,
                    Math.max(voided, keepsAcknowledged ? lastTraced : lost),
                    Math.max(forgotten, lost));
        }
    }

    /**
     * The time between the sending of a beat and the answer to a later one.
     *
     * @param lasted how long it was
     * @param isTooLong whether locks could be taken over in it
     */
    private record Gap(Duration lasted, boolean isTooLong) {}

    private static final AtomicReferenceFieldUpdater<Heartbeat, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(Heartbeat.class, State.class, "state");

    private final LockBackend backend;
    private final Outages outages;
    private final EngineClock clock;
    private final EngineTimer timer;
    private final Supplier<List<String>> waitedFor;
    private final Consumer<List<String>> afterBeat;
    private final boolean isConfigured;
    private final CrashDetection detection;
    private final long shortestTakeOverNanos;
    private final AtomicLong beats = new AtomicLong();

    /** Changed by its updater. */
    private volatile State state;

    /** The last beat for callers that have to know. */
    private volatile CompletableFuture<Void> shared = CompletableFuture.completedFuture(null);

    /**
     * A heartbeat that has not begun.
     *
     * @param backend the store
     * @param outages learns from beats as well, so that an idle instance notices them
     * @param settings whether and when locks are taken over
     * @param clock the clocks
     * @param timer runs it
     * @param waitedFor keys of locks that other instances have and that callers wait for
     * @param afterBeat called on any thread when a beat was sent, and when it was answered, then with the keys of locks
     *     whose owners are gone
     */
    Heartbeat(
            LockBackend backend,
            Outages outages,
            EngineSettings settings,
            EngineClock clock,
            EngineTimer timer,
            Supplier<List<String>> waitedFor,
            Consumer<List<String>> afterBeat) {
        Optional<Duration> shortest = settings.shortestCrashTakeOver();
        this.backend = backend;
        this.outages = outages;
        this.clock = clock;
        this.timer = timer;
        this.waitedFor = waitedFor;
        this.afterBeat = afterBeat;
        this.isConfigured = shortest.isPresent();
        // A session ends whether or not a take-over is configured.
        this.detection = backend.crashDetection()
                .filter(found -> isConfigured || found.certainTime().isPresent())
                .orElse(NONE);
        this.shortestTakeOverNanos = shortest.orElse(Duration.ZERO).toNanos();
        this.state = new State(0, Moment.now(clock), NO_ANSWER, NO_PERIOD, NO_PERIOD, NO_PERIOD, NO_PERIOD);
    }

    /** Beats as soon as possible, and from then on regularly. */
    void begin() {
        if (detection != NONE) {
            timer.schedule(this, clock.nanos());
        }
    }

    @Override
    public void fire() {
        timer.schedule(this, clock.nanos() + shortestNanos() / BEATS);
        CompletableFuture<?> unused = beat(isOfSession() ? List.of() : waitedFor.get());
        afterBeat.accept(List.of());
    }

    /**
     * Beats now, for callers that have to know, all of which share one beat at a time. Completed when the answer, if
     * there is one, is taken into account; never with an exception.
     */
    CompletableFuture<Void> beatNow() {
        CompletableFuture<Void> running = shared;
        if (running.isDone()) {
            running = beat(List.of());
            shared = running; // of two callers at the same time, each has a beat of its own
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
        State known = state;
        while (number - known.number > 0) {
            Gap gap = new Gap(
                    Duration.ofNanos(clock.nanos() - known.sent.nanos()),
                    Deadline.isOver(known.sent, shortestNanos(), Moment.now(clock)));
            if (STATE.compareAndSet(this, known, known.next(number, sent, beat, gap))) {
                afterBeat.accept(beat.abandoned());
                return;
            }
            known = state;
        }
    }

    /** For how long a lock is certain: by the session where there is one, else for its own take-over time. */
    long certainNanos(long takeOverNanos) {
        return detection.certainTime().map(Duration::toNanos).orElse(takeOverNanos);
    }

    private long shortestNanos() {
        return certainNanos(shortestTakeOverNanos);
    }

    Duration commandTimeout() {
        return detection.commandTimeout();
    }

    /**
     * The take-over time that the token of an attempt may promise.
     *
     * @param takeOver what is configured
     * @param lease the lease: what a later take-over could not shorten is left to it
     * @return in milliseconds; 0 if the lease or the session is to decide, also since the store has not answered a beat
     *     yet, or does not answer any more
     */
    long takeOverMillis(Duration takeOver, Duration lease) {
        return takeOver.compareTo(lease) < 0 && detectsCrashes() ? takeOver.toMillis() : 0;
    }

    /** What tokens ask for that promise a take-over time. */
    TakeOverCondition takeOverCondition() {
        return detection.takeOverCondition();
    }

    /** Whether it decides if a grant to the token is certain, and not only the lease. */
    boolean decides(LockToken token) {
        return token.takeOverMillis() != 0 || isOfSession();
    }

    /** Whether the store lets locks be taken over whose instances crash, and answers the questions about them. */
    boolean detectsCrashes() {
        return !isOfSession() && isAnswered();
    }

    /** Whether a release by another instance reaches the waiters here, according to the last beat. */
    boolean hearsSignals() {
        return detection.hearsSignals();
    }

    /** Whether locks are taken over, as configured, and as far as the store is known. Asks nothing. */
    CrashTakeOver supported() {
        CrashTakeOver byStore = backend.crashTakeOver();
        return isConfigured || byStore.state() == CrashTakeOver.State.UNNEEDED
                ? byStore
                : CrashTakeOver.off("distributed-lock.crash-takeover is 0");
    }

    /** Whether locks are taken over at the moment. Asks nothing. */
    CrashTakeOver takeOver() {
        CrashTakeOver supported = supported();
        return supported.state() != CrashTakeOver.State.ON || detection == NONE || isAnswered()
                ? supported
                : new CrashTakeOver(CrashTakeOver.State.INTERRUPTED, UNANSWERED, "");
    }

    /** Whether a session decides, and not what a lock's token promises. */
    boolean isOfSession() {
        return detection.certainTime().isPresent();
    }

    /** The present period; {@link #NO_PERIOD} before the first answer. */
    long period() {
        return state.period;
    }

    /** Whether the store has executed a beat so lately that no lock of this instance can be taken over. */
    boolean isAnswered() {
        State known = state;
        return known.period != NO_PERIOD && !Deadline.isOver(known.sent, shortestNanos(), Moment.now(clock));
    }

    /** Whether the period goes on, and belongs to this history of the store. */
    boolean isOf(long period, String history) {
        State known = state;
        return known.period == period && known.beat.history().equals(history);
    }

    /** Whether the last beat was answered by this history of the store. */
    boolean isOf(String history) {
        return state.beat.history().equals(history);
    }

    /** Whether no lock that was confirmed in the period, and has this take-over time, can have been taken over. */
    boolean covers(long period, long takeOverNanos) {
        return covers(period, takeOverNanos, Moment.now(clock));
    }

    /** The same at a moment. */
    boolean covers(long period, long takeOverNanos, Moment now) {
        State known = state;
        return known.period != NO_PERIOD
                && known.period == period
                && !Deadline.isOver(known.sent, certainNanos(takeOverNanos), now);
    }

    /** Whether it can no longer be ruled out that a lock was taken over since it was confirmed, in the period. */
    boolean isVoid(long period, TakeOverCondition condition) {
        State known = state;
        return period < (condition == TakeOverCondition.NONE ? known.forgotten : known.voided);
    }
}
