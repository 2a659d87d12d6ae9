package io.github.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One caller that wants one key. {@link #outcome} is completed exactly once; whoever completes it decides what becomes of
 * the acquisition, and a grant that comes second is given back.
 *
 * <p>Mutable: {@link #outcome} (atomic); {@link #attempts}, {@link #joinedAt} and {@link #overdue} are guarded by the
 * {@link KeyQueue} it stands in.
 */
final class Acquisition extends TimerEntry {

    final String key;
    final Terms terms;
    final Owner owner;
    final long startedAt;
    final long giveUpAt;
    final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    private final Consumer<Acquisition> onTimer;

    /** Attempts at the backend. */
    int attempts;

    /** Number of answers the queue had had when this one joined. */
    long joinedAt;

    /** The wait is over, but the backend has not said anything yet; its next answer ends the acquisition. */
    boolean overdue;

    /** Whether it had to wait; written under the queue's monitor before the outcome of the wait. */
    volatile boolean queued;

    Acquisition(String key, Terms terms, Owner owner, long startedAt, Consumer<Acquisition> onTimer) {
        this.key = key;
        this.terms = terms;
        this.owner = owner;
        this.startedAt = startedAt;
        this.giveUpAt = startedAt + terms.maxWait().toNanos();
        this.onTimer = onTimer;
    }

    boolean waits() {
        return !terms.maxWait().isZero();
    }

    boolean isPast(long now) {
        return now - giveUpAt >= 0;
    }

    Duration waited(long now) {
        return Duration.ofNanos(now - startedAt);
    }

    @Override
    void fire() {
        onTimer.accept(this);
    }
}
