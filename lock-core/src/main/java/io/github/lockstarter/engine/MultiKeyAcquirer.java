package io.github.lockstarter.engine;

import io.github.lockstarter.engine.Acquisitions.IfBusy;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several keys in the order given, which is sorted, so that two callers cannot wait for each other. One wait
 * covers all of them; what was acquired is released when one cannot be, or when one is lost before the last is
 * acquired.
 */
final class MultiKeyAcquirer {

    private final Acquisitions acquirer;
    private final EngineClock clock;
    private final List<String> keys;
    private final ResolvedRequest terms;
    private final long startedAt;

    MultiKeyAcquirer(Acquisitions acquirer, EngineClock clock, List<String> keys, ResolvedRequest terms) {
        this.acquirer = acquirer;
        this.clock = clock;
        this.keys = keys;
        this.terms = terms;
        this.startedAt = clock.nanos();
    }

    Optional<EngineHandle> acquire(HoldOwner owner, IfBusy ifBusy) {
        List<EngineHandle> acquired = new ArrayList<>(keys.size());
        try {
            for (String key : keys) {
                Optional<? extends EngineHandle> one = acquirer.acquire(key, remainingTerms(), owner, ifBusy);
                if (one.isEmpty()) {
                    releaseAll(acquired);
                    return Optional.empty();
                }
                acquired.add(one.get());
            }
            return Optional.of(together(acquired));
        } catch (RuntimeException | Error e) {
            releaseAfter(e, acquired);
            throw e;
        }
    }

    private static void releaseAll(List<EngineHandle> acquired) {
        BlockingWait.awaitUninterruptibly(CompositeHandle.giveBack(acquired));
    }

    /** What fails in here must not hide the failure that comes first. */
    private static void releaseAfter(Throwable failure, List<EngineHandle> acquired) {
        try {
            releaseAll(acquired);
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
        }
    }

    /** Throws if one was lost while the others were acquired. */
    private static EngineHandle together(List<EngineHandle> acquired) {
        CompositeHandle all = new CompositeHandle(acquired);
        all.ensureHeld();
        return all;
    }

    void acquireAsync(CompletableFuture<? super EngineHandle> result) {
        acquireNext(new ArrayList<>(keys.size()), result);
    }

    /** {@code acquired} is passed from step to step; the steps follow one another. */
    private void acquireNext(List<EngineHandle> acquired, CompletableFuture<? super EngineHandle> result) {
        CompletableFuture<EngineHandle> step = new CompletableFuture<>();
        acquirer.acquireAsync(keys.get(acquired.size()), remainingTerms(), step);
        result.whenComplete((all, failure) -> step.cancel(false));
        step.whenComplete((one, failure) -> {
            if (failure == null) {
                acquired.add(one);
            }
            if (failure == null && !result.isDone()) {
                continueWith(acquired, result);
            } else {
                CompositeHandle.giveBack(acquired);
                if (failure != null) {
                    result.completeExceptionally(failure);
                }
            }
        });
    }

    private void continueWith(List<EngineHandle> acquired, CompletableFuture<? super EngineHandle> result) {
        try {
            if (acquired.size() < keys.size()) {
                acquireNext(acquired, result);
            } else {
                CompositeHandle all = new CompositeHandle(acquired);
                acquirer.events()
                        .completedForCallers(all.ensureHeldAsync())
                        .whenComplete((any, failure) -> deliver(all, failure, acquired, result));
            }
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
            CompositeHandle.giveBack(acquired);
        }
    }

    private static void deliver(
            CompositeHandle all,
            @Nullable Throwable failure,
            List<EngineHandle> acquired,
            CompletableFuture<? super EngineHandle> result) {
        if (failure != null) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            result.completeExceptionally(Objects.requireNonNullElse(cause, failure));
            CompositeHandle.giveBack(acquired);
        } else if (!result.complete(all)) {
            CompositeHandle.giveBack(acquired);
        }
    }

    private ResolvedRequest remainingTerms() {
        Duration left = terms.maxWait().minusNanos(clock.nanos() - startedAt);
        return terms.waitingUpTo(left.isNegative() ? Duration.ZERO : left);
    }
}
