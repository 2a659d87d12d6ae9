package io.github.lockstarter.engine;

import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.WithdrawResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Holds backends to their word that a failure is a result: what one throws all the same is an unknown outcome. */
final class Results {

    private static final String BROKEN_PROMISE = "The lock backend failed unexpectedly";

    private Results() {}

    static <R> CompletionStage<R> of(Supplier<CompletionStage<R>> call, Function<Throwable, R> unknown) {
        CompletionStage<R> stage;
        try {
            stage = call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(unknown.apply(e));
        }
        return of(stage, unknown);
    }

    static <R> CompletionStage<R> of(CompletionStage<R> stage, Function<Throwable, R> unknown) {
        return stage.exceptionally(failure -> unknown.apply(unwrapped(failure)));
    }

    private static Throwable unwrapped(Throwable failure) {
        @Nullable Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    static AcquireResult unknownAcquire(Throwable cause) {
        return new AcquireResult.Unknown(BROKEN_PROMISE, cause);
    }

    static RenewResult unknownRenewal(Throwable cause) {
        return new RenewResult.Unknown(BROKEN_PROMISE, cause);
    }

    static ReleaseResult unknownRelease(Throwable cause) {
        return new ReleaseResult.Unknown(BROKEN_PROMISE, cause);
    }

    static WithdrawResult unknownWithdrawal(Throwable cause) {
        return new WithdrawResult.Unknown(BROKEN_PROMISE, cause);
    }
}
