package io.github.lockstarter.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How many of something there are, and a future for the moment when there are none. Thread-safe.
 *
 * <p>{@link #decrement} counts first and looks at the future second, {@link #whenNone} sets the future first and looks
 * at the count second: one of them sees the other.
 */
final class Count {

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicReference<@Nullable CompletableFuture<Void>> none = new AtomicReference<>();

    void increment() {
        count.incrementAndGet();
    }

    /** True if there are none, and somebody waits for that: {@link #tell} has to follow. */
    boolean decrement() {
        return count.decrementAndGet() == 0 && none.get() != null;
    }

    /** Completes the future, unless there are some again. */
    void tell() {
        CompletableFuture<Void> awaited = none.get();
        if (awaited != null && count.get() == 0) {
            awaited.complete(null);
        }
    }

    int get() {
        return count.get();
    }

    /** Completed as soon as there are none. Several callers that wait at a time share a future. */
    CompletableFuture<Void> whenNone() {
        CompletableFuture<Void> awaited =
                none.updateAndGet(known -> known == null || known.isDone() ? new CompletableFuture<>() : known);
        tell();
        return awaited.copy();
    }
}
