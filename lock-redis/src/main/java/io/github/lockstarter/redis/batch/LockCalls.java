package io.github.lockstarter.redis.batch;

import io.github.lockstarter.redis.history.ClientHistories;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.script.ReleaseScript;
import io.github.lockstarter.redis.script.ScriptRunner;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends attempts, releases and withdrawals: at once, or, where the common case will do and others are under way,
 * several of a kind as one.
 *
 * <p>Invariant: calls for one key reach the server in the order in which a thread makes them. A {@link PendingCall} is
 * not sent, or not for the last time, when its method returns, so the next one for its key waits for its result, or,
 * where the server hangs, until it has been sent; then nothing more is sent for the first one. {@link #pending} has the
 * last of these calls by key; it is taken out when it has ended. Behind a call that was sent by itself, another one
 * goes out at once, and is not collected. Thread-safe; nothing blocks.
 */
public final class LockCalls {

    /**
     * For so long a call waits for the result of the one before it; longer only until that has been sent. It counts
     * from when the call was made: so of many calls behind each other, each is sent as much later than it was made.
     */
    private static final Duration PATIENCE = CallBatcher.PATIENCE.multipliedBy(4);

    /** Then it looks so often. */
    private static final Duration PAUSE = Duration.ofMillis(5);

    /** A call that is sent once, by itself, behind another one, and its result. */
    private final class Behind<R> extends PendingCall<R> {

        private final String key;
        private final PendingCall<?> before;
        private final Supplier<CompletionStage<R>> call;
        private final AtomicBoolean isDue = new AtomicBoolean();
        private volatile Future<?> patience = CompletableFuture.completedFuture(null);

        private Behind(String key, PendingCall<?> before, Supplier<CompletionStage<R>> call) {
            this.key = key;
            this.before = before;
            this.call = call;
        }

        /** Sent when the other one has its result; or when it has been sent, and the server may hang. */
        private void sendInTurn() {
            lookAfter(PATIENCE);
            before.whenComplete((any, failure) -> {
                patience.cancel(false);
                send();
            });
        }

        private void lookAfter(Duration time) {
            try {
                patience = timer.schedule(this::look, time.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException ended) {
                patience = CompletableFuture.completedFuture(null);
            }
        }

        private void look() {
            if (before.isDone() || before.pass()) {
                send();
            } else {
                lookAfter(PAUSE);
            }
        }

        private void send() {
            if (isDue.compareAndSet(false, true)) {
                try {
                    completeAs(call.get());
                    sent();
                } catch (Throwable e) { // a call that is never completed would keep all later ones waiting
                    fail(e);
                }
            }
        }

        @Override
        void ended() {
            forget(key, this);
        }
    }

    /** Two calls for one key, of two threads. */
    private static final class Both extends PendingCall<Boolean> {

        private final PendingCall<?> earlier;
        private final PendingCall<?> later;

        private Both(PendingCall<?> earlier, PendingCall<?> later) {
            this.earlier = earlier;
            this.later = later;
        }

        @Override
        boolean pass() {
            return (earlier.isDone() || earlier.pass()) && (later.isDone() || later.pass());
        }
    }

    private final ScriptRunner runner;
    private final ReleaseScript releaseScript;
    private final AcquireCalls attempts;
    private final ReleaseCalls releases;
    private final CallBatcher<AcquireCommand, AcquireResult> collectedAttempts;
    private final CallBatcher<ReleaseCommand, ReleaseResult> collectedReleases;
    private final ScheduledExecutorService timer;
    private final Map<String, PendingCall<?>> pending = new ConcurrentHashMap<>();
    private final DirectCalls direct = new DirectCalls();

    /**
     * Has sent nothing yet.
     *
     * @param runner sends
     * @param keySpace what the keys are called
     * @param histories the history that the locks belong to
     * @param releaseScript makes the calls that release
     * @param timer of the client
     */
    public LockCalls(
            ScriptRunner runner,
            KeySpace keySpace,
            ClientHistories histories,
            ReleaseScript releaseScript,
            ScheduledExecutorService timer) {
        this.runner = runner;
        this.timer = timer;
        this.releaseScript = releaseScript;
        this.attempts = new AcquireCalls(runner, keySpace, histories, this::forget);
        this.releases = new ReleaseCalls(runner, releaseScript, histories.isPerSlot());
        this.collectedAttempts =
                new CallBatcher<>(attempts, timer, ended -> forget(ended.call().key(), ended));
        this.collectedReleases =
                new CallBatcher<>(releases, timer, ended -> forget(ended.call().key(), ended));
    }

    /** Tries to get a lock. */
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        PendingCall<?> before = pendingBefore(command.key());
        return before == null
                ? remembered(command.key(), send(command))
                : behind(before, command.key(), () -> attempts.one(command));
    }

    private CompletionStage<AcquireResult> send(AcquireCommand command) {
        return attempts.areFor(command) && !direct.mayHave(command.key())
                ? collectedAttempts.send(command)
                : attempts.one(command);
    }

    /** Releases a lock. */
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        PendingCall<?> before = pendingBefore(command.key());
        return before == null
                ? remembered(command.key(), send(command))
                : behind(before, command.key(), () -> releases.one(command));
    }

    private CompletionStage<ReleaseResult> send(ReleaseCommand command) {
        return releases.areFor(command) && !direct.mayHave(command.key())
                ? collectedReleases.send(command)
                : releases.one(command);
    }

    /** Leaves the queue. */
    public CompletionStage<WithdrawResult> withdraw(WithdrawCommand command) {
        return inOrder(command.key(), () -> runner.run(releaseScript.withdraw(command), ReleaseScript.WITHDRAW_READER));
    }

    /** Sends another call for a key behind those that a thread has made before. */
    public <R> CompletionStage<R> inOrder(String key, Supplier<CompletionStage<R>> call) {
        PendingCall<?> before = pendingBefore(key);
        return before == null ? remembered(key, call.get()) : behind(before, key, call);
    }

    /** The call for the key that the next one has to wait for; null if there is none. */
    private @Nullable PendingCall<?> pendingBefore(String key) {
        PendingCall<?> before = pending.get(key);
        return before == null || before.isDone() ? null : before;
    }

    private <R> CompletionStage<R> behind(PendingCall<?> before, String key, Supplier<CompletionStage<R>> call) {
        Behind<R> behind = new Behind<>(key, before, call);
        remember(key, behind);
        behind.sendInTurn();
        return behind;
    }

    private <R> CompletionStage<R> remembered(String key, CompletionStage<R> result) {
        if (result instanceof PendingCall<?> call) {
            remember(key, call);
            if (call.isDone()) {
                forget(key, call);
            }
        } else {
            direct.add(key, result);
        }
        return result;
    }

    /** Two threads may call for one key at a time: what comes next is behind both. */
    private void remember(String key, PendingCall<?> call) {
        PendingCall<?> last = pending.merge(key, call, (other, own) -> other.isDone() ? own : new Both(other, own));
        if (last instanceof Both both) {
            CompletableFuture.allOf(both.earlier, both.later).whenComplete((any, failure) -> {
                both.complete(true);
                forget(key, both);
            });
        }
    }

    private void forget(String key, PendingCall<?> call) {
        pending.remove(key, call);
    }
}
