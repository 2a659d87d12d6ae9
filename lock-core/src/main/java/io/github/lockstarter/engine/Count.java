package io.github.lockstarter.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A counter with a future for zero. Thread-safe.
 *
 * <p>{@link #decrement} counts before it reads the future, {@link #whenNone} sets the future before it reads the count:
 * at least one sees the other.
 */
final class Count {

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicReference<@Nullable CompletableFuture<Void>> none = new AtomicReference<>();

    void increment() {
        count.incrementAndGet();
    }

    /** True at zero if a caller waits for it: {@link #completeIfNone} must follow. */
    boolean decrement() {
        return count.decrementAndGet() == 0 && none.get() != null;
    }

    void completeIfNone() {
        CompletableFuture<Void> awaited = none.get();
        if (awaited != null && count.get() == 0) {
            awaited.complete(null);
        }
    }

    int get() {
        return count.get();
    }

    /** Completed once the count is zero. */
    CompletableFuture<Void> whenNone() {
        CompletableFuture<Void> awaited =
                none.updateAndGet(known -> known == null || known.isDone() ? new CompletableFuture<>() : known);
        completeIfNone();
        return awaited.copy();
    }
}
