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
 * Holds a {@link LockBackend} to its word that every failure is a result: for callers that must get a result also from
 * a backend that throws, returns null, or completes a stage with an exception or with null. A caller guards the call
 * with {@link #stageOf}, and what the stage completes with by {@link #resultOf}, in the one step that it adds to the
 * stage anyway. Without state.
 *
 * <p>For the modules of this project: public because they share it, and no part of the port.
 */
public final class BackendGuard {

    private BackendGuard() {}

    /**
     * Calls the backend.
     *
     * @param <R> kind of result
     * @param call the call
     * @return the stage of the backend; a failed one if the backend threw or returned null
     */
    public static <R> CompletionStage<R> stageOf(Supplier<? extends @Nullable CompletionStage<R>> call) {
        return stageOf(Supplier::get, call);
    }

    /**
     * As {@link #stageOf(Supplier)}, for a call on the hot path: no lambda has to hold the argument.
     *
     * @param <C> kind of command
     * @param <R> kind of result
     * @param call the call
     * @param command its argument
     * @return the stage of the backend; a failed one if the backend threw or returned null
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
     * Calls the backend to renew locks.
     *
     * @param commands how many renewals it is called for
     * @param call the call
     * @return as many stages; failed ones if the backend threw or returned fewer or more
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
     * What a stage completed with, as a result.
     *
     * @param <R> kind of result
     * @param result the result, if there is one
     * @param failure the exception instead
     * @param unknown makes the result of an exception
     * @return a result in any case
     */
    public static <R> R resultOf(@Nullable R result, @Nullable Throwable failure, Function<Throwable, R> unknown) {
        if (failure != null) {
            Throwable cause = failure.getCause();
            return unknown.apply(failure instanceof CompletionException && cause != null ? cause : failure);
        }
        return result != null ? result : unknown.apply(new IllegalStateException("The backend returned no result"));
    }
}
