package io.github.lockstarter.shedlock;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import java.util.Optional;
import java.util.function.Function;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * One hold of a lock of ShedLock, from the acquire or the last extension on. As the interface says, its owner calls it
 * from one thread at a time.
 */
final class HandleLock extends AbstractSimpleLock {

    private final Function<LockConfiguration, LockRequest> requests;
    private final LockHandle handle;
    private final long askedNanos;

    /**
     * A hold.
     *
     * @param requests what to ask for
     * @param configuration of the lock
     * @param handle holds the lock
     * @param askedNanos {@link System#nanoTime()} before it was asked for
     */
    HandleLock(
            Function<LockConfiguration, LockRequest> requests,
            LockConfiguration configuration,
            LockHandle handle,
            long askedNanos) {
        super(configuration);
        this.requests = requests;
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
            handle.extend(requests.apply(later));
        } catch (LockLostException lost) {
            handle.release();
            return Optional.empty();
        }
        return Optional.of(new HandleLock(requests, later, handle, now));
    }

    /** Whether it is past its longest time, as to ShedLock it is: a lease of 20 ms or a renewed one may last longer. */
    private boolean isOver(long now) {
        long millis = (now - askedNanos) / 1_000_000;
        return millis >= lockConfiguration.getLockAtMostFor().toMillis();
    }
}
