package io.github.lockstarter.zookeeper;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The containers that this instance has created. It deletes each of them a while later, unless the container is in use.
 * The servers delete empty containers, too, but on one thread of the leader, at most 167 a second by default: too few
 * for a lock of each order or message. What this instance cannot delete stays for the servers. Thread-safe.
 */
final class CreatedQueues {

    /** Long enough that the containers of busy keys cost little. */
    static final Duration KEPT = Duration.ofSeconds(30);

    private static final int LOOKS = 10;

    private record Created(String queue, long at) {}

    /** Oldest first; only the timer removes. */
    private final Queue<Created> created = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean isLookDue = new AtomicBoolean();
    private final Function<String, CompletableFuture<Boolean>> deleteIfEmpty;
    private final ScheduledExecutorService timer;
    private final long keptNanos;

    /** @param deleteIfEmpty false if the container is in use */
    CreatedQueues(
            Function<String, CompletableFuture<Boolean>> deleteIfEmpty, ScheduledExecutorService timer, Duration kept) {
        this.deleteIfEmpty = deleteIfEmpty;
        this.timer = timer;
        this.keptNanos = kept.toNanos();
    }

    void add(String queue) {
        created.add(new Created(queue, System.nanoTime()));
        lookLater();
    }

    private void lookLater() {
        if (isLookDue.compareAndSet(false, true)) {
            try {
                timer.schedule(this::look, keptNanos / LOOKS, TimeUnit.NANOSECONDS);
            } catch (RuntimeException e) { // closed, or out of threads: the next container retries
                isLookDue.set(false);
            }
        }
    }

    private void look() {
        isLookDue.set(false);
        long now = System.nanoTime();
        for (Created first = created.peek(); first != null && now - first.at >= keptNanos; first = created.peek()) {
            String queue = first.queue;
            created.remove();
            deleteIfEmpty.apply(queue).thenAccept(isDeleted -> {
                if (!isDeleted) {
                    add(queue);
                }
            });
        }
        if (!created.isEmpty()) {
            lookLater();
        }
    }
}
