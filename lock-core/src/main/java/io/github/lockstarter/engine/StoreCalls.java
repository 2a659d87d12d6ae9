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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls the store. Every failure, even a thrown {@link Error}, becomes a result of unknown outcome. Tracks whether
 * commands or the processing of their answers are under way.
 *
 * <p>Repeats releases of locks that may have been granted, or may not have been released, until the store answers or
 * the lease must be over. Each is sent at once. Unanswered ones wait while one at a time probes, with growing delay, so
 * that an outage does not fill the store's request queue; the first answer resumes the others. After an attempt of
 * unknown outcome, a release that finds no lock proves nothing, since the attempt may be executed later: it is repeated
 * whenever the time since it was first sent has doubled, until the lease would be over, so a late grant is freed after
 * at most twice its delay.
 *
 * <p>A command without an answer is given up after {@link #LAST_DEADLINE} with an unknown outcome, so a store that
 * breaks its contract cannot block a key forever; a later answer is ignored.
 *
 * <p>Thread-safe. The state of repeated releases is guarded by this object; nothing is sent under a monitor.
 */
final class StoreCalls extends TimerEntry {

    /** About 30 MB. Dropped releases leave their locks to the leases. */
    static final int MAX_REMEMBERED = 65_536;

    /** Longer than any configurable command timeout. */
    static final Duration LAST_DEADLINE = Duration.ofSeconds(65);

    private static final String BACKEND_FAILED = "The lock backend failed unexpectedly";
    private static final long FIRST_DELAY_NANOS = 50_000_000;
    private static final long MAX_DELAY_NANOS = 1_000_000_000;
    private static final int MAX_IN_FLIGHT = 256;

    /** Releases scheduled for late grants; beyond that, late grants end with their leases. */
    static final int MAX_SCHEDULED = 4_096;

    /** Instead of the fencing token of an attempt of unknown outcome. */
    static final long NO_GRANT = 0;

    /** Processes the answer to a command. */
    interface Continuation<R> {

        void accept(R result);

        /** The answer could not be processed. Allocates nothing, since the memory may be full. */
        default void failed(Throwable cause) {}

        default void process(R result) {
            try {
                accept(result);
            } catch (RuntimeException | Error e) {
                EngineLog.report("Processing the result of the lock backend", e);
                failed(e);
            }
        }
    }

    /** A command without an answer; the first answer or the deadline counts. */
    final class OpenCommand<R> extends TimerEntry {

        private final Function<Throwable, R> unknown;
        private final Continuation<R> then;
        private final String key;
        private final long epoch;

        @GuardedBy("this")
        private boolean answered;

        OpenCommand(Function<Throwable, R> unknown, Continuation<R> then, String key, long epoch) {
            this.unknown = unknown;
            this.then = then;
            this.key = key;
            this.epoch = epoch;
        }

        void answered(@Nullable R result, @Nullable Throwable failure) {
            synchronized (this) {
                if (answered) {
                    return;
                }
                answered = true;
            }
            try {
                timer.cancel(this);
                R known = BackendGuard.resultOf(result, failure, unknown);
                notice(key, known, epoch);
                then.process(known);
            } catch (RuntimeException | Error e) { // e.g. out of memory
                then.failed(e);
            } finally {
                end();
            }
        }

        @Override
        public void fire() {
            answered(
                    null,
                    new TimeoutException("The lock backend did not answer within " + LAST_DEADLINE.toSeconds()
                            + " s, whatever its command timeout is"));
        }
    }

    private final class Item extends TimerEntry implements Continuation<ReleaseResult> {

        private final ReleaseCommand command;
        private final long addedAt = clock.nanos();
        private final long giveUpAt;

        Item(ReleaseCommand command, Duration lease) {
            this.command = command;
            this.giveUpAt = addedAt + lease.toNanos();
        }

        boolean mayComeLate(ReleaseResult result, long now) {
            boolean foundNothing = result instanceof ReleaseResult.FoundFree || result instanceof ReleaseResult.NotHeld;
            return command.fencingToken() == NO_GRANT && foundNothing && !isOver(now);
        }

        boolean isOver(long now) {
            return now - giveUpAt >= 0;
        }

        @Override
        public void accept(ReleaseResult result) {
            StoreCalls.this.answered(this, result);
        }

        /** Dropped: its lock ends with the lease. */
        @Override
        public void failed(Throwable cause) {
            synchronized (StoreCalls.this) {
                releasesInFlight--;
            }
        }

        @Override
        public void fire() {
            synchronized (StoreCalls.this) {
                scheduled--;
                ready.add(this);
            }
            sendDue();
        }
    }

    final Outages outages;

    private final LockBackend store;
    private final EngineClock clock;
    private final EngineTimer timer;
    private final int maxRemembered;
    private final Function<AcquireCommand, CompletionStage<AcquireResult>> acquire;
    private final Function<ReleaseCommand, CompletionStage<ReleaseResult>> release;
    private final Count inFlight = new Count();

    @GuardedBy("this")
    private final Deque<Item> ready = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<Item> unanswered = new ArrayDeque<>();

    @GuardedBy("this")
    private int releasesInFlight;

    @GuardedBy("this")
    private int scheduled;

    @GuardedBy("this")
    private boolean sending;

    @GuardedBy("this")
    private boolean overflowing;

    @GuardedBy("this")
    private long delay = FIRST_DELAY_NANOS;

    StoreCalls(LockBackend store, Outages outages, EngineClock clock, EngineTimer timer, int maxRemembered) {
        this.store = store;
        this.outages = outages;
        this.clock = clock;
        this.timer = timer;
        this.maxRemembered = maxRemembered;
        this.acquire = store::attemptAcquire;
        this.release = store::releaseToken;
    }

    void sendAcquire(AcquireCommand command, Continuation<AcquireResult> then) {
        send(acquire, command, e -> new AcquireResult.Unknown(BACKEND_FAILED, e), then, command.key(), outages.epoch());
    }

    void sendRelease(ReleaseCommand command, Continuation<ReleaseResult> then) {
        send(release, command, e -> new ReleaseResult.Unknown(BACKEND_FAILED, e), then, command.key(), outages.epoch());
    }

    private <C, R> void send(
            Function<C, CompletionStage<R>> call,
            C command,
            Function<Throwable, R> unknown,
            Continuation<R> then,
            String key,
            long epoch) {
        OpenCommand<R> open = null;
        inFlight.increment();
        try {
            open = new OpenCommand<>(unknown, then, key, epoch);
            CompletableFuture<R> answer = BackendGuard.stageOf(call, command).toCompletableFuture();
            if (!answer.isDone()) {
                timer.schedule(open, clock.nanos() + LAST_DEADLINE.toNanos());
            }
            answer.whenComplete(open::answered);
        } catch (RuntimeException | Error e) { // e.g. out of memory
            if (open == null) {
                then.failed(e);
                end();
            } else {
                open.answered(null, e);
            }
        }
    }

    /** One stage per command, in order, for {@link #answer}. */
    List<CompletionStage<RenewResult>> sendRenewals(List<RenewCommand> commands) {
        return BackendGuard.stagesOf(commands.size(), () -> store.renewLeases(commands));
    }

    /** The epoch is that of {@link #outages} before the renewal was sent. */
    void answer(CompletionStage<RenewResult> stage, String key, long epoch, Continuation<RenewResult> then) {
        send(Function.identity(), stage, e -> new RenewResult.Unknown(BACKEND_FAILED, e), then, key, epoch);
    }

    /** Counts a step as under way until {@link #end}: a stop awaits its commands. */
    void begin() {
        inFlight.increment();
    }

    /** Before commands that follow from the result. */
    private void notice(String key, Object result, long epoch) {
        try {
            outages.ended(key, result, epoch);
        } catch (RuntimeException | Error e) {
            EngineLog.report("Noticing an outage of the lock store", e);
        }
    }

    void end() {
        if (inFlight.decrement()) {
            inFlight.completeIfNone();
        }
    }

    CompletableFuture<Void> whenIdle() {
        return inFlight.whenNone();
    }

    // Releases that are repeated

    /** The lease counts from now. */
    void repeatRelease(ReleaseCommand command, Duration lease) {
        boolean firstDropped;
        synchronized (this) {
            ready.add(new Item(command, lease));
            firstDropped = makeRoom();
        }
        if (firstDropped) {
            EngineLog.warn(
                    "More than {} locks wait to be released until the lock store answers; the engine drops"
                            + " the oldest releases, and these locks end with their leases",
                    maxRemembered);
        }
        sendDue();
    }

    /** Drops the oldest, whose lease probably ends first. True for the first one of an overflow. */
    @GuardedBy("this")
    private boolean makeRoom() {
        if (ready.size() + unanswered.size() + releasesInFlight <= maxRemembered) {
            return false;
        }
        Item dropped = unanswered.isEmpty() ? ready.poll() : unanswered.poll();
        boolean first = dropped != null && !overflowing;
        overflowing |= first;
        return first;
    }

    /** One thread at a time sends; its loop picks up concurrently added releases and immediate answers. */
    private void sendDue() {
        synchronized (this) {
            if (sending) {
                return;
            }
            sending = true;
        }
        for (Item item = next(); item != null; item = next()) {
            sendRelease(item.command, item);
        }
    }

    private synchronized @Nullable Item next() {
        Item next = null;
        if (releasesInFlight < MAX_IN_FLIGHT) {
            next = ready.poll();
        }
        releasesInFlight += next == null ? 0 : 1;
        sending = next != null;
        return next;
    }

    private void answered(Item item, ReleaseResult result) {
        long now = clock.nanos();
        synchronized (this) {
            if (item.mayComeLate(result, now) && scheduled < MAX_SCHEDULED) {
                scheduled++;
                timer.schedule(item, now + Math.max(FIRST_DELAY_NANOS, now - item.addedAt));
            }
            if (result instanceof ReleaseResult.Unknown) {
                unanswered.add(item);
                timer.schedule(this, now + delay);
            } else { // the store is reachable
                ready.addAll(unanswered);
                unanswered.clear();
                overflowing = false;
                delay = FIRST_DELAY_NANOS;
            }
            releasesInFlight--; // last: if this fails, the item counts it
        }
        sendDue();
    }

    @Override
    public void fire() {
        long now = clock.nanos();
        synchronized (this) {
            unanswered.removeIf(item -> item.isOver(now));
            if (!unanswered.isEmpty()) {
                ready.add(unanswered.remove());
                delay = Math.min(delay * 2, MAX_DELAY_NANOS);
            }
        }
        sendDue();
    }
}
