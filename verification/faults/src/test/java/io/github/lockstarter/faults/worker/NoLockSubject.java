package io.github.lockstarter.faults.worker;

import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** A control: grants every request at once. */
final class NoLockSubject implements Subject {

    private final Duration lease;
    private final AtomicLong tokens = new AtomicLong();

    NoLockSubject(Duration lease) {
        this.lease = lease;
    }

    @Override
    public Optional<Held> acquire(LockRequest request) {
        return Optional.of(new Unguarded(tokens.incrementAndGet(), System.nanoTime() + lease.toNanos()));
    }

    @Override
    public CompletableFuture<Held> acquireAsync(LockRequest request) {
        return CompletableFuture.completedFuture(acquire(request).orElseThrow());
    }

    @Override
    public boolean signalsLoss() {
        return false;
    }

    @Override
    public void close() {
        // Nothing was taken.
    }

    private record Unguarded(long fencingToken, long deadline) implements Held {

        @Override
        public Duration remainingLease() {
            return Duration.ofNanos(deadline - System.nanoTime());
        }

        @Override
        public String path() {
            return "UNCONTENDED";
        }

        @Override
        public void onLost(Runnable callback) {
            // The outcome is unknown.
        }

        @Override
        public void extend(Duration longer) {
            // Nothing to extend.
        }

        @Override
        public String release() {
            return "RELEASED";
        }
    }
}
