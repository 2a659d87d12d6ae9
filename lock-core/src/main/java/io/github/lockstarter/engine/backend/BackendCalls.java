package io.github.lockstarter.engine.backend;

import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.StoreCapabilities;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine's way to its backend. Holds the backend to its word that a failure is a result (what it throws all the
 * same, also an {@link Error}, is an unknown outcome), and knows whether commands are under way, their consequences
 * included.
 *
 * <p>Thread-safe. {@link #underWay} counts a command until its answer has been taken; {@link #quiet} is completed when
 * it falls to zero after {@link #quiet()} asked for that.
 */
public final class BackendCalls {

    private static final String BROKEN_PROMISE = "The lock backend failed unexpectedly";

    private final LockBackend backend;
    private final Function<AcquireCommand, CompletionStage<AcquireResult>> acquire;
    private final Function<ReleaseCommand, CompletionStage<ReleaseResult>> release;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile @Nullable CompletableFuture<Void> quiet;

    public BackendCalls(LockBackend backend) {
        this.backend = backend;
        this.acquire = backend::acquire;
        this.release = backend::release;
    }

    /** What the store of the key can do. */
    public StoreCapabilities capabilities(String key) {
        return backend.capabilities(key);
    }

    public void acquire(AcquireCommand command, Consumer<AcquireResult> then) {
        underWay.incrementAndGet();
        whenAnswered(BackendGuard.stageOf(acquire, command), e -> new AcquireResult.Unknown(BROKEN_PROMISE, e), then);
    }

    public void release(ReleaseCommand command, Consumer<ReleaseResult> then) {
        underWay.incrementAndGet();
        whenAnswered(BackendGuard.stageOf(release, command), e -> new ReleaseResult.Unknown(BROKEN_PROMISE, e), then);
    }

    void withdraw(WithdrawCommand command, Consumer<WithdrawResult> then) {
        underWay.incrementAndGet();
        whenAnswered(
                BackendGuard.stageOf(backend::withdraw, command),
                e -> new WithdrawResult.Unknown(BROKEN_PROMISE, e),
                then);
    }

    /** Writes the renewals. One stage per command, in order, for {@link #answer}. */
    public List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        return BackendGuard.stagesOf(commands.size(), () -> backend.renew(commands));
    }

    /** Hands the answer to a renewal over. */
    public void answer(CompletionStage<RenewResult> stage, Consumer<RenewResult> then) {
        underWay.incrementAndGet();
        whenAnswered(stage, e -> new RenewResult.Unknown(BROKEN_PROMISE, e), then);
    }

    /** Counts the step as under way, so that a stop awaits what it sends in the end. */
    public <R> R during(Supplier<R> step) {
        underWay.incrementAndGet();
        try {
            return step.get();
        } finally {
            ended();
        }
    }

    private <R> void whenAnswered(CompletionStage<R> stage, Function<Throwable, R> unknown, Consumer<R> then) {
        stage.whenComplete((result, failure) -> take(BackendGuard.resultOf(result, failure, unknown), then));
    }

    private <R> void take(R result, Consumer<R> then) {
        try {
            EngineLog.guard("Processing the result of the lock backend", then, result);
        } finally {
            ended();
        }
    }

    private void ended() {
        // Counted first and looked second, against quiet(), which sets first and counts second: one of them sees the
        // other.
        boolean last = underWay.decrementAndGet() == 0;
        CompletableFuture<Void> awaited = quiet;
        if (last && awaited != null) {
            awaited.complete(null);
        }
    }

    /** Completed as soon as no command is under way. */
    public CompletableFuture<Void> quiet() {
        CompletableFuture<Void> awaited = new CompletableFuture<>();
        quiet = awaited;
        if (underWay.get() == 0) {
            awaited.complete(null);
        }
        return awaited;
    }
}
