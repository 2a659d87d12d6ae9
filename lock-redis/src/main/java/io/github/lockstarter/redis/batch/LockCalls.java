package io.github.lockstarter.redis.batch;

import io.github.lockstarter.redis.batch.CallBatcher.Collected;
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
 * <p>Invariant: calls for one key reach the server in the order in which a thread makes them. A call that is collected
 * has not been sent when its method returns, so the next one for its key waits for its result, or, where the server
 * hangs, until it has been sent. {@link #unsent} has the last of these calls by key; it is taken out when it has ended.
 * Thread-safe; nothing blocks.
 */
public final class LockCalls {

    /** Twice as long as a collected call waits for a server that hangs: by then it has been sent. */
    private static final Duration PATIENCE = CallBatcher.PATIENCE.multipliedBy(2);

    /** A call that is sent once, behind another one, and its result. */
    private static final class Behind<R> extends CompletableFuture<R> {

        private final Supplier<CompletionStage<R>> call;
        private final AtomicBoolean isSent = new AtomicBoolean();

        private Behind(Supplier<CompletionStage<R>> call) {
            this.call = call;
        }

        /** Sent when the other one has its result; or when it has been sent, and the server may hang. */
        private void sendBehind(CompletableFuture<?> before, ScheduledExecutorService timer) {
            Future<?> patience;
            try {
                patience = timer.schedule(this::send, PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException ended) {
                patience = CompletableFuture.completedFuture(null);
            }
            Future<?> watch = patience;
            before.whenComplete((any, failure) -> {
                watch.cancel(false);
                send();
            });
        }

        private void send() {
            if (isSent.compareAndSet(false, true)) {
                call.get().whenComplete((value, failure) -> {
                    if (failure == null) {
                        complete(value);
                    } else {
                        completeExceptionally(failure);
                    }
                });
            }
        }
    }

    private final ScriptRunner runner;
    private final ReleaseScript releaseScript;
    private final AcquireCalls attempts;
    private final ReleaseCalls releases;
    private final CallBatcher<AcquireCommand, AcquireResult> collectedAttempts;
    private final CallBatcher<ReleaseCommand, ReleaseResult> collectedReleases;
    private final ScheduledExecutorService timer;
    private final Map<String, CompletableFuture<?>> unsent = new ConcurrentHashMap<>();

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
        this.attempts = new AcquireCalls(runner, keySpace, histories);
        this.releases = new ReleaseCalls(runner, releaseScript, histories.isPerSlot());
        this.collectedAttempts =
                new CallBatcher<>(attempts, timer, ended -> forget(ended.call().key(), ended));
        this.collectedReleases =
                new CallBatcher<>(releases, timer, ended -> forget(ended.call().key(), ended));
    }

    /** Tries to get a lock. */
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        CompletableFuture<?> before = unsentBefore(command.key());
        return before == null
                ? remembered(command.key(), send(command))
                : behind(before, command.key(), () -> send(command));
    }

    private CompletionStage<AcquireResult> send(AcquireCommand command) {
        return attempts.areFor(command) ? collectedAttempts.send(command) : attempts.one(command);
    }

    /** Releases a lock. */
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        CompletableFuture<?> before = unsentBefore(command.key());
        return before == null
                ? remembered(command.key(), send(command))
                : behind(before, command.key(), () -> send(command));
    }

    private CompletionStage<ReleaseResult> send(ReleaseCommand command) {
        return releases.areFor(command) ? collectedReleases.send(command) : releases.one(command);
    }

    /** Leaves the queue. */
    public CompletionStage<WithdrawResult> withdraw(WithdrawCommand command) {
        return inOrder(command.key(), () -> runner.run(releaseScript.withdraw(command), ReleaseScript.WITHDRAW_READER));
    }

    /** Sends another call for a key behind those that a thread has made before. */
    public <R> CompletionStage<R> inOrder(String key, Supplier<CompletionStage<R>> call) {
        CompletableFuture<?> before = unsentBefore(key);
        return before == null ? remembered(key, call.get()) : behind(before, key, call);
    }

    /** The call for the key that the next one has to wait for; null if there is none. */
    private @Nullable CompletableFuture<?> unsentBefore(String key) {
        CompletableFuture<?> before = unsent.get(key);
        return before == null || before.isDone() ? null : before;
    }

    private <R> CompletionStage<R> behind(CompletableFuture<?> before, String key, Supplier<CompletionStage<R>> call) {
        Behind<R> behind = new Behind<>(call);
        remember(key, behind);
        behind.whenComplete((any, failure) -> forget(key, behind));
        behind.sendBehind(before, timer);
        return behind;
    }

    private <R> CompletionStage<R> remembered(String key, CompletionStage<R> result) {
        if (result instanceof Collected<?, ?> collected) {
            remember(key, collected);
            if (collected.isDone()) {
                forget(key, collected);
            }
        }
        return result;
    }

    /** Two threads may call for one key at a time: what comes next is behind both. */
    private void remember(String key, CompletableFuture<?> call) {
        CompletableFuture<?> last =
                unsent.merge(key, call, (other, own) -> other.isDone() ? own : CompletableFuture.allOf(other, own));
        if (last != call) {
            last.whenComplete((any, failure) -> forget(key, last));
        }
    }

    private void forget(String key, CompletableFuture<?> call) {
        unsent.remove(key, call);
    }
}
