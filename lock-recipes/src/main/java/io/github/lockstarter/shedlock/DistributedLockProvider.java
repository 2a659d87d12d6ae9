package io.github.lockstarter.shedlock;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.MinHoldIf;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * Holds the locks of {@code @SchedulerLock} methods: one attempt without a wait, not reentrant. Any thread may release
 * a {@link SimpleLock}. All locks have the name {@value #NAME}, and keys that other ShedLock providers do not see.
 * Thread-safe.
 * <ul>
 *   <li>{@code lockAtMostFor} up to this provider's lease is the lock's lease, without renewal. A longer one limits
 *       the renewal: the lock ends at most one lease later.
 *   <li>{@code lockAtLeastFor} is the {@link LockRequest#minHold minimum hold}.
 *   <li>{@link SimpleLock#extend} restarts both times, but never shortens the lease or the minimum hold. Returns
 *       empty if the lock is lost or its {@code lockAtMostFor} is over.
 *   <li>{@link SimpleLock#unlock} does not throw after a loss.
 * </ul>
 */
public final class DistributedLockProvider implements ExtensibleLockProvider {

    /** Name of the locks. */
    public static final String NAME = "shedlock";

    private static final String PREFIX = NAME + ':';

    private final LockOperations locks;
    private final Duration lease;

    /**
     * Creates the provider.
     *
     * @param locks holds the locks
     * @param lease lease of renewed locks, and longest lease of the others; at most {@code distributed-lock.max-lease}
     * @throws IllegalArgumentException if the lease is below {@link LockRequest#MIN_LEASE}
     */
    public DistributedLockProvider(LockOperations locks, Duration lease) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.lease = Objects.requireNonNull(lease, "lease");
        if (lease.compareTo(LockRequest.MIN_LEASE) < 0) {
            throw new IllegalArgumentException(
                    "The lease of locks of ShedLock is " + DurationText.exactly(lease) + "; it must be at least 20ms");
        }
    }

    /**
     * Acquires the lock if it is free.
     *
     * @param configuration name and times
     * @return the lock; empty only if another owner has it, or its minimum hold is not over
     * @throws io.github.lockstarter.LockBackendException if the lock's state is unknown
     * @throws io.github.lockstarter.LockInterruptedException if interrupted; restores the flag
     * @throws IllegalArgumentException if {@code lockAtLeastFor} is above {@code distributed-lock.max-lease}, or
     *     positive with a store that keeps no minimum holds
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        long startNanos = System.nanoTime();
        return locks.tryAcquire(request(configuration))
                .map(handle -> new HandleLock(configuration, handle, startNanos));
    }

    private LockRequest request(LockConfiguration configuration) {
        Duration atMost = within(LockRequest.MIN_LEASE, configuration.getLockAtMostFor());
        Duration minHold = configuration.getLockAtLeastFor();
        LockRequest request = LockRequest.of(PREFIX + configuration.getName())
                .named(NAME)
                .ownedByHandle()
                .inTransaction(InTransaction.RELEASE)
                .withoutWaiting()
                .minHold(isNone(minHold) ? Duration.ZERO : within(Duration.ofMillis(1), minHold))
                .minHoldIf(MinHoldIf.ALWAYS); // ShedLock does not tell whether the task succeeded
        if (atMost.compareTo(lease) <= 0) {
            return request.lease(atMost).withoutRenewal();
        }
        Duration longer = minHold.compareTo(lease) > 0 ? minHold : lease;
        return request.lease(longer).withRenewal().maxHold(atMost);
    }

    private static boolean isNone(Duration minHold) {
        return minHold.isZero() || minHold.isNegative();
    }

    private static Duration within(Duration least, Duration time) {
        Duration raised = time.compareTo(least) < 0 ? least : time;
        return raised.compareTo(LockRequest.MAX_DURATION) > 0 ? LockRequest.MAX_DURATION : raised;
    }

    /** One hold since the acquire or the last extension. Not thread-safe, as the interface allows. */
    private final class HandleLock extends AbstractSimpleLock {

        private final LockHandle handle;
        private final long startNanos;

        private HandleLock(LockConfiguration configuration, LockHandle handle, long startNanos) {
            super(configuration);
            this.handle = handle;
            this.startNanos = startNanos;
        }

        @Override
        protected void doUnlock() {
            handle.release();
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration later) {
            long now = System.nanoTime();
            if (isOver(now)) {
                handle.release();
                return Optional.empty();
            }
            try {
                handle.extend(request(later));
            } catch (LockLostException lost) {
                handle.release();
                return Optional.empty();
            }
            return Optional.of(new HandleLock(later, handle, now));
        }

        /** The lock has then ended for ShedLock, even if the lease lasts longer. */
        private boolean isOver(long now) {
            long millis = (now - startNanos) / 1_000_000;
            return millis >= lockConfiguration.getLockAtMostFor().toMillis();
        }
    }
}
