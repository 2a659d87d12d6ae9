package io.github.lockstarter.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The engine's way to its store. Every failure is a result: what the store throws anyway, also an {@link Error}, is an
 * unknown outcome. Knows whether commands are under way, their consequences included.
 *
 * <p>Repeats the release of what may have been granted, or may not have been released, until the store answers or the
 * lease must be over. Each is tried at once. What had no answer waits: one release at a time probes, with growing
 * delay, so that an outage does not fill the store's request queue; with the first answer the others follow. The
 * release of an attempt of unknown outcome proves nothing where it finds no lock: the network, or the store, may
 * execute the attempt afterwards. It is repeated after twice the time since it was first sent, and so on until its
 * lease would be over, so that a late grant is freed after at most as much time again as it was late.
 *
 * <p>A store that breaks its promise to answer must not keep a key forever: a command without an answer is given up
 * after {@link #LAST_DEADLINE}, and its outcome is unknown. A later answer is ignored.
 *
 * <p>Thread-safe. {@link #underWay} counts a command until its answer has been taken. The fields of repeated releases
 * are guarded by this object; nothing is sent under a monitor.
 */
final class StoreCalls extends TimerEntry {

    /** About 30 MB. What falls out ends with its lease. */
    static final int MOST_REMEMBERED = 65_536;

    /** Beyond the longest command timeout that can be configured. */
    static final Duration LAST_DEADLINE = Duration.ofSeconds(65);

    private static final String BROKEN_PROMISE = "The lock backend failed unexpectedly";
    private static final long FIRST_DELAY = 50_000_000;
    private static final long LONGEST_DELAY = 1_000_000_000;
    private static final int MOST_UNDER_WAY = 256;

    /** What exceeds this ends with its lease, if it was granted late. */
    static final int MOST_REPEATED = 4_096;

    /** In place of the fencing token, where it is not known that the attempt was granted. */
    static final long NO_GRANT = 0;

    /** A command without an answer. The first answer counts, or that there was none in time. */
    final class OpenCommand<R> extends TimerEntry {

        private final Function<Throwable, R> unknown;
        private final Consumer<R> then;
        private final String key;
        private final long epoch;

        @GuardedBy("this")
        private boolean isAnswered;

        OpenCommand(Function<Throwable, R> unknown, Consumer<R> then, String key, long epoch) {
            this.unknown = unknown;
            this.then = then;
            this.key = key;
            this.epoch = epoch;
        }

        void answered(@Nullable R result, @Nullable Throwable failure) {
            synchronized (this) {
                if (isAnswered) {
                    return;
                }
                isAnswered = true;
            }
            timer.cancel(this);
            take(BackendGuard.resultOf(result, failure, unknown), then, key, epoch);
        }

        @Override
        public void fire() {
            answered(
                    null,
                    new TimeoutException("The lock backend did not answer within " + LAST_DEADLINE.toSeconds()
                            + " s, whatever its command timeout is"));
        }
    }

    private final class Item extends TimerEntry {

        private final ReleaseCommand command;
        private final long addedAt = clock.nanos();
        private final long giveUpAt;

        Item(ReleaseCommand command, Duration lease) {
            this.command = command;
            this.giveUpAt = addedAt + lease.toNanos();
        }

        /** Whether a grant may follow that this release did not find. */
        boolean mayComeLate(ReleaseResult result, long now) {
            boolean foundNothing = result instanceof ReleaseResult.FoundFree || result instanceof ReleaseResult.NotHeld;
            return command.fencingToken() == NO_GRANT && foundNothing && !isOver(now);
        }

        boolean isOver(long now) {
            return now - giveUpAt >= 0;
        }

        @Override
        public void fire() {
            synchronized (StoreCalls.this) {
                repeatLater--;
                untried.add(this);
            }
            sendDue();
        }
    }

    /** Learns from all results. */
    final Outages outages;

    private final LockBackend store;
    private final EngineClock clock;
    private final EngineTimer timer;
    private final int mostRemembered;
    private final Function<AcquireCommand, CompletionStage<AcquireResult>> acquire;
    private final Function<ReleaseCommand, CompletionStage<ReleaseResult>> release;
    private final Count underWay = new Count();

    @GuardedBy("this")
    private final Deque<Item> untried = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<Item> unanswered = new ArrayDeque<>();

    @GuardedBy("this")
    private int repeating;

    @GuardedBy("this")
    private int repeatLater;

    @GuardedBy("this")
    private boolean isSending;

    @GuardedBy("this")
    private boolean isOverflowing;

    @GuardedBy("this")
    private long delay = FIRST_DELAY;

    StoreCalls(LockBackend store, Outages outages, EngineClock clock, EngineTimer timer, int mostRemembered) {
        this.store = store;
        this.outages = outages;
        this.clock = clock;
        this.timer = timer;
        this.mostRemembered = mostRemembered;
        this.acquire = store::acquire;
        this.release = store::release;
    }

    void acquire(AcquireCommand command, Consumer<AcquireResult> then) {
        long epoch = outages.epoch();
        underWay.increment();
        CompletionStage<AcquireResult> stage = BackendGuard.stageOf(acquire, command);
        whenAnswered(stage, e -> new AcquireResult.Unknown(BROKEN_PROMISE, e), then, command.key(), epoch);
    }

    void release(ReleaseCommand command, Consumer<ReleaseResult> then) {
        long epoch = outages.epoch();
        underWay.increment();
        CompletionStage<ReleaseResult> stage = BackendGuard.stageOf(release, command);
        whenAnswered(stage, e -> new ReleaseResult.Unknown(BROKEN_PROMISE, e), then, command.key(), epoch);
    }

    /** Writes the renewals. One stage per command, in order, for {@link #answer}. */
    List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        return BackendGuard.stagesOf(commands.size(), () -> store.renew(commands));
    }

    /** Hands the answer to the renewal of a key over; the epoch is that of {@link #outages} before it was written. */
    void answer(CompletionStage<RenewResult> stage, String key, long epoch, Consumer<RenewResult> then) {
        underWay.increment();
        whenAnswered(stage, e -> new RenewResult.Unknown(BROKEN_PROMISE, e), then, key, epoch);
    }

    /** Counts a step as under way until its {@link #end}, so that a stop awaits what it sends. */
    void begin() {
        underWay.increment();
    }

    private <R> void whenAnswered(
            CompletionStage<R> stage, Function<Throwable, R> unknown, Consumer<R> then, String key, long epoch) {
        CompletableFuture<R> answer = stage.toCompletableFuture();
        if (answer.isDone()) {
            take(resultOf(answer, unknown), then, key, epoch);
            return;
        }
        OpenCommand<R> command = null;
        try {
            command = new OpenCommand<>(unknown, then, key, epoch);
            timer.schedule(command, clock.nanos() + LAST_DEADLINE.toNanos());
            stage.whenComplete(command::answered);
        } catch (RuntimeException | Error e) { // such as for want of memory
            if (command == null) {
                take(unknown.apply(e), then, key, epoch);
            } else {
                command.answered(null, e);
            }
        }
    }

    /** Without another stage: an answer at once is on the hot path. */
    private static <R> R resultOf(CompletableFuture<R> done, Function<Throwable, R> unknown) {
        R result = null;
        Throwable failure = null;
        try {
            result = done.getNow(null);
        } catch (CompletionException | CancellationException e) {
            failure = e;
        }
        return BackendGuard.resultOf(result, failure, unknown);
    }

    private <R> void take(R result, Consumer<R> then, String key, long epoch) {
        try {
            notice(key, result, epoch);
            EngineLog.guard("Processing the result of the lock backend", then, result);
        } finally {
            end();
        }
    }

    /** Before the result is followed by further commands, which were sent after it then. */
    private void notice(String key, Object result, long epoch) {
        try {
            outages.ended(key, result, epoch);
        } catch (RuntimeException | Error e) {
            EngineLog.report("Noticing an outage of the lock backend", e);
        }
    }

    void end() {
        if (underWay.decrement()) {
            underWay.tell();
        }
    }

    /** Completed as soon as no command is under way. */
    CompletableFuture<Void> quiet() {
        return underWay.whenNone();
    }

    // Releases that are repeated

    /**
     * Sends the release now, and again until an answer comes or the lease, counted from now, is over. With
     * {@link #NO_GRANT} it is that of an attempt of unknown outcome, and is also sent again if it finds no lock.
     */
    void repeatRelease(ReleaseCommand command, Duration lease) {
        boolean isFirstDropped;
        synchronized (this) {
            untried.add(new Item(command, lease));
            isFirstDropped = makeRoom();
        }
        if (isFirstDropped) {
            EngineLog.warn(
                    "More than {} locks wait to be released until the lock store answers; the engine drops"
                            + " the oldest releases, and these locks end with their leases",
                    mostRemembered);
        }
        sendDue();
    }

    /** The oldest goes first: of one lease length, it ends first. True if it is the first one of an overflow. */
    @GuardedBy("this")
    private boolean makeRoom() {
        if (untried.size() + unanswered.size() + repeating <= mostRemembered) {
            return false;
        }
        Item dropped = unanswered.isEmpty() ? untried.poll() : unanswered.poll();
        boolean isFirst = dropped != null && !isOverflowing;
        isOverflowing |= isFirst;
        return isFirst;
    }

    /** One thread at a time sends: what others add, or an answer that comes at once, it finds afterwards. */
    private void sendDue() {
        synchronized (this) {
            if (isSending) {
                return;
            }
            isSending = true;
        }
        for (Item item = next(); item != null; item = next()) {
            EngineLog.guard("Cleaning up after an unknown outcome", this::send, item);
        }
    }

    private synchronized @Nullable Item next() {
        Item next = null;
        if (repeating < MOST_UNDER_WAY) {
            next = untried.poll();
        }
        repeating += next == null ? 0 : 1;
        isSending = next != null;
        return next;
    }

    private void send(Item item) {
        release(item.command, result -> answered(item, result));
    }

    private void answered(Item item, ReleaseResult result) {
        long now = clock.nanos();
        synchronized (this) {
            repeating--;
            if (item.mayComeLate(result, now) && repeatLater < MOST_REPEATED) {
                repeatLater++;
                timer.schedule(item, now + Math.max(FIRST_DELAY, now - item.addedAt));
            }
            if (result instanceof ReleaseResult.Unknown) {
                unanswered.add(item);
                timer.schedule(this, now + delay);
            } else { // the store can be reached
                untried.addAll(unanswered);
                unanswered.clear();
                isOverflowing = false;
                delay = FIRST_DELAY;
            }
        }
        sendDue();
    }

    /** Probes with the oldest release. */
    @Override
    public void fire() {
        long now = clock.nanos();
        synchronized (this) {
            unanswered.removeIf(item -> item.isOver(now));
            if (!unanswered.isEmpty()) {
                untried.add(unanswered.remove());
                delay = Math.min(delay * 2, LONGEST_DELAY);
            }
        }
        sendDue();
    }
}
