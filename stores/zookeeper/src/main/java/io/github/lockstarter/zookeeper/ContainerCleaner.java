package io.github.lockstarter.zookeeper;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Deletes the containers that this instance has created, once each, 30 s after the creation. The servers refuse it for
 * a container that is in use then, and delete that one later, as they do with those that do not fit.
 *
 * <p>Any thread adds containers. Only the timer, which has one thread, removes them, oldest first.
 */
final class ContainerCleaner {

    /** Long enough that the containers of busy keys cost little. */
    private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Some megabytes of paths. */
    private static final int MOST_KNOWN = 20_000;

    /** Under way at a time, and begun at a time: renewals share the session with them. */
    private static final int MOST_DELETIONS = 100;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private record Container(String path, long created) {}

    private final Function<String, CompletableFuture<?>> deletion;
    private final ScheduledExecutorService timer;
    private final LongSupplier nanoTime;
    private final BlockingQueue<Container> known = new LinkedBlockingQueue<>(MOST_KNOWN);
    private final AtomicInteger deletions = new AtomicInteger();
    private final AtomicBoolean isScheduled = new AtomicBoolean();

    /** @param deletion sends the command for a path, without waiting for the answer */
    ContainerCleaner(
            Function<String, CompletableFuture<?>> deletion, ScheduledExecutorService timer, LongSupplier nanoTime) {
        this.deletion = deletion;
        this.timer = timer;
        this.nanoTime = nanoTime;
    }

    void created(String path) {
        if (known.offer(new Container(path, nanoTime.getAsLong()))) {
            cleanLater();
        }
    }

    /** One task for all containers. */
    private void cleanLater() {
        Container oldest = known.peek();
        if (oldest != null && isScheduled.compareAndSet(false, true)) {
            try {
                timer.schedule(this::clean, Math.max(PAUSE_NANOS, untilDue(oldest)), TimeUnit.NANOSECONDS);
            } catch (RuntimeException | Error e) {
                isScheduled.set(false); // closed, or out of memory: the next container retries
            }
        }
    }

    private void clean() {
        isScheduled.set(false);
        try {
            for (int i = 0; i < MOST_DELETIONS; i++) {
                Container oldest = known.peek();
                if (oldest == null || untilDue(oldest) > 0 || deletions.get() == MOST_DELETIONS) {
                    return;
                }
                known.remove();
                deletions.incrementAndGet();
                delete(oldest.path());
            }
        } finally {
            cleanLater();
        }
    }

    private void delete(String path) {
        try {
            deletion.apply(path)
                    .orTimeout(AGE_NANOS, TimeUnit.NANOSECONDS)
                    .whenComplete((answer, failure) -> deletions.decrementAndGet());
        } catch (RuntimeException | Error e) { // such as out of memory
            deletions.decrementAndGet();
            throw e;
        }
    }

    private long untilDue(Container container) {
        return container.created() + AGE_NANOS - nanoTime.getAsLong();
    }
}
