package io.github.lockstarter.shedlock;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * The locks of {@code @SchedulerLock} methods, held through {@link LockOperations}. One attempt and no wait; not
 * reentrant; a lock belongs to the {@link SimpleLock} and may be released on any thread. Thread-safe.
 *
 * <p>The lock {@code report} has the key {@code shedlock:report}. All of them have the name {@value #NAME} in meters
 * and under {@code distributed-lock.locks}, of which the lease and the crash take-over count here.
 *
 * <ul>
 *   <li>{@code lockAtMostFor} up to the lease of this provider is the lease of the lock, which is not renewed. A longer
 *       one bounds the renewal instead: the lock is renewed up to it, ends at most one lease later, and outlasts a
 *       holder that is paused or cut off by no more than the lease. Less than 20 ms counts as 20 ms.
 *   <li>{@code lockAtLeastFor} is the {@link LockRequest#keptFor minimum time}, and at most {@code
 *       distributed-lock.max-lease}.
 *   <li>{@link SimpleLock#extend} counts both anew from the extension. It cannot shorten the lease or the minimum time
 *       that the lock has. It returns empty when the lock is lost, or its {@code lockAtMostFor} is over.
 *   <li>{@link SimpleLock#unlock} does not throw when the lock was lost: the loss is logged, counted, and reported to
 *       the {@link io.github.lockstarter.LockListener}s.
 * </ul>
 *
 * <p>Every instance of the application has to use the same provider: to the other providers of ShedLock, which have
 * their own keys, the lock is free.
 */
public final class DistributedLockProvider implements ExtensibleLockProvider {

    /** Name of the locks in meters and in the configuration. */
    public static final String NAME = "shedlock";

    private static final String PREFIX = NAME + ':';

    private final LockOperations locks;
    private final Duration lease;

    /**
     * A provider.
     *
     * @param locks holds the locks
     * @param lease lease of locks that are renewed, and longest of those that are not, at most {@code
     *     distributed-lock.max-lease}
     * @throws IllegalArgumentException when the lease is below {@link LockRequest#MIN_LEASE}
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
     * @param configuration its name and times
     * @return the lock; empty only when another owner has it, or it is kept for its minimum time
     * @throws io.github.lockstarter.LockBackendException when it is unknown whether another owner has the lock: the
     *     call of the scheduled method fails, and is not taken for skipped
     * @throws io.github.lockstarter.LockInterruptedException when interrupted; the flag is set again
     * @throws IllegalArgumentException when {@code lockAtLeastFor} is above {@code distributed-lock.max-lease}
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        long asked = System.nanoTime();
        return locks.tryAcquire(request(configuration)).map(handle -> new HandleLock(configuration, handle, asked));
    }

    private LockRequest request(LockConfiguration configuration) {
        Duration atMost = within(LockRequest.MIN_LEASE, configuration.getLockAtMostFor());
        Duration atLeast = configuration.getLockAtLeastFor();
        LockRequest request = LockRequest.of(PREFIX + configuration.getName())
                .named(NAME)
                .ownedByHandle()
                .withoutWaiting()
                .keptFor(isNone(atLeast) ? Duration.ZERO : within(Duration.ofMillis(1), atLeast));
        if (atMost.compareTo(lease) <= 0) {
            return request.leasedFor(atMost).withoutRenewal();
        }
        Duration longer = atLeast.compareTo(lease) > 0 ? atLeast : lease;
        return request.leasedFor(longer).withRenewal().renewedUpTo(atMost);
    }

    private static boolean isNone(Duration atLeast) {
        return atLeast.isZero() || atLeast.isNegative();
    }

    /** At least the given time, and at most the longest of all. */
    private static Duration within(Duration least, Duration time) {
        Duration raised = time.compareTo(least) < 0 ? least : time;
        return raised.compareTo(LockRequest.MAX_DURATION) > 0 ? LockRequest.MAX_DURATION : raised;
    }

    /**
     * One hold, from the acquire or the last extension on. As the interface says, its owner calls it from one thread at
     * a time.
     */
    private final class HandleLock extends AbstractSimpleLock {

        private final LockHandle handle;
        private final long askedNanos;

        private HandleLock(LockConfiguration configuration, LockHandle handle, long askedNanos) {
            super(configuration);
            this.handle = handle;
            this.askedNanos = askedNanos;
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

        /** Whether it is past its longest time: to ShedLock it is, though its lease may last longer. */
        private boolean isOver(long now) {
            long millis = (now - askedNanos) / 1_000_000;
            return millis >= lockConfiguration.getLockAtMostFor().toMillis();
        }
    }
}
