package io.github.lockstarter.engine;

import io.github.lockstarter.LockHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Acquires several keys in the order given, which is sorted, so that two callers cannot wait for each other. One wait
 * covers all of them; what was acquired is released when one cannot be.
 */
final class AllOrNothing {

    private final Session session;
    private final EngineClock clock;
    private final List<String> keys;
    private final Terms terms;
    private final long startedAt;

    AllOrNothing(Session session, EngineClock clock, List<String> keys, Terms terms) {
        this.session = session;
        this.clock = clock;
        this.keys = keys;
        this.terms = terms;
        this.startedAt = clock.nanos();
    }

    Attained acquire() {
        List<LockHandle> acquired = new ArrayList<>(keys.size());
        try {
            for (String key : keys) {
                Attained attained = session.acquire(key, remainingTerms());
                if (attained instanceof Attained.Handle one) {
                    acquired.add(one.handle());
                } else {
                    acquired.forEach(LockHandle::release);
                    return attained;
                }
            }
        } catch (RuntimeException e) {
            acquired.forEach(LockHandle::release);
            throw e;
        }
        return new Attained.Handle(new CompositeHandle(acquired));
    }

    CompletableFuture<Attained> acquireAsync() {
        CompletableFuture<Attained> result = new CompletableFuture<>();
        acquireNext(new ArrayList<>(keys.size()), result);
        return result;
    }

    /** {@code acquired} is passed from step to step; the steps follow one another. */
    private void acquireNext(List<LockHandle> acquired, CompletableFuture<Attained> result) {
        CompletableFuture<Attained> step = session.acquireAsync(keys.get(acquired.size()), remainingTerms());
        result.whenComplete((attained, failure) -> {
            if (result.isCancelled()) {
                step.cancel(false);
            }
        });
        step.whenComplete((attained, failure) -> {
            if (attained instanceof Attained.Handle one && !result.isDone()) {
                acquired.add(one.handle());
                continueWith(acquired, result);
            } else {
                stop(attained, acquired);
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else {
                    result.complete(attained);
                }
            }
        });
    }

    private void continueWith(List<LockHandle> acquired, CompletableFuture<Attained> result) {
        if (acquired.size() < keys.size()) {
            acquireNext(acquired, result);
        } else if (!result.complete(new Attained.Handle(new CompositeHandle(acquired)))) {
            acquired.forEach(LockHandle::release);
        }
    }

    private static void stop(Attained attained, List<LockHandle> acquired) {
        if (attained instanceof Attained.Handle late) {
            late.handle().release();
        }
        acquired.forEach(LockHandle::release);
    }

    private Terms remainingTerms() {
        Duration left = terms.maxWait().minusNanos(clock.nanos() - startedAt);
        return terms.waitingUpTo(left.isNegative() ? Duration.ZERO : left);
    }
}
