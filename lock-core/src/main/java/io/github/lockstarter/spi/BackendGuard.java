package io.github.lockstarter.spi;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts contract violations of a {@link LockBackend} (exceptions, null, stages that fail or complete with null) to
 * results. Stateless. Internal to this project's modules.
 */
public final class BackendGuard {

    private BackendGuard() {}

    /**
     * {@return the backend's stage; a failed one if it threw or returned null}
     *
     * @param <R> result
     * @param call call
     */
    public static <R> CompletionStage<R> stageOf(Supplier<? extends @Nullable CompletionStage<R>> call) {
        return stageOf(Supplier::get, call);
    }

    /**
     * {@return {@link #stageOf(Supplier)} without a capturing lambda, for the hot path}
     *
     * @param <C> command
     * @param <R> result
     * @param call call
     * @param command argument
     */
    public static <C, R> CompletionStage<R> stageOf(
            Function<C, ? extends @Nullable CompletionStage<R>> call, C command) {
        try {
            return Objects.requireNonNull(call.apply(command), "The backend returned no stage");
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * {@return one stage per renewal; failed ones if the backend threw or returned another number}
     *
     * @param commands number
     * @param call call
     */
    public static List<CompletionStage<RenewResult>> stagesOf(
            int commands, Supplier<List<CompletionStage<RenewResult>>> call) {
        try {
            List<CompletionStage<RenewResult>> stages = call.get();
            if (stages.size() == commands) {
                return stages;
            }
            throw new IllegalStateException(stages.size() + " answers to " + commands + " renewals");
        } catch (RuntimeException | Error e) {
            return Collections.nCopies(commands, CompletableFuture.failedFuture(e));
        }
    }

    /**
     * {@return the result of a completed stage}
     *
     * @param <R> result
     * @param result if any
     * @param failure if any
     * @param unknown converts an exception to a result
     */
    public static <R> R resultOf(@Nullable R result, @Nullable Throwable failure, Function<Throwable, R> unknown) {
        if (failure != null) {
            return unknown.apply(causeOf(failure));
        }
        return result != null ? result : unknown.apply(new IllegalStateException("The backend returned no result"));
    }

    /**
     * {@return the failure of a stage without the wrapper that later stages add}
     *
     * @param failure failure as a stage passes it on
     */
    public static Throwable causeOf(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
