package io.github.lockstarter.redis.connection;

import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A user that waits for the link to the server of a key, until a deadline of its own.
 *
 * <p>Invariant: the user is called once, by the thread that turns {@code answered}: one that has the link, one that
 * failed to open it, or the timer at the deadline. So a user whose deadline has passed sends nothing, however late the
 * link is open.
 */
final class LinkWaiter implements LinkCallback {

    private final String key;
    private final LinkCallback user;
    private final AtomicBoolean answered = new AtomicBoolean();
    private volatile @Nullable Future<?> deadline;

    LinkWaiter(String key, LinkCallback user) {
        this.key = key;
        this.user = user;
    }

    /** What decides which server the user needs. */
    String key() {
        return key;
    }

    /** Starts the time that the user waits; when it is over, {@code onExpiry} runs before the user is called. */
    void expireAfter(Duration patience, ScheduledExecutorService timer, Runnable onExpiry) {
        try {
            deadline = timer.schedule(() -> expire(onExpiry), patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return; // the client is being closed, which ends every wait
        }
        if (answered.get()) {
            cancelDeadline();
        }
    }

    private void expire(Runnable onExpiry) {
        if (answered.compareAndSet(false, true)) {
            onExpiry.run();
            user.onFailure(new RedisCommandTimeoutException("The connection was not open in time"));
        }
    }

    @Override
    public void onOpen(RedisLink opened) {
        if (isFirst()) {
            user.onOpen(opened);
        }
    }

    @Override
    public void onFailure(Throwable failure) {
        if (isFirst()) {
            user.onFailure(failure);
        }
    }

    private boolean isFirst() {
        boolean first = answered.compareAndSet(false, true);
        if (first) {
            cancelDeadline();
        }
        return first;
    }

    private void cancelDeadline() {
        Future<?> set = deadline;
        if (set != null) {
            set.cancel(false);
        }
    }
}
