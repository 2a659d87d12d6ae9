package io.github.lockstarter.observe.log;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns once of each hold that lasts longer than configured, with what its thread is doing at that moment, unless it
 * was acquired asynchronously: then no thread is known to work under it. One thread looks at all holds now and then; to
 * acquire and release costs an entry in a map.
 *
 * <p>Called by any thread. An entry of {@link #holds} is added by an acquisition, and leaves with release, loss or its
 * warning. {@link #held} is set once, when the engine is there.
 */
public final class SlowHoldWarnings implements LockListener, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter");

    /** A warning comes up to a quarter of its time late. */
    private static final int LOOKS = 4;

    private static final long LEAST_MILLIS = 10;
    private static final long MOST_MILLIS = 5_000;
    private static final int MOST_FRAMES = 40;

    private final ConcurrentHashMap<Hold, Begin> holds = new ConcurrentHashMap<>();
    private final Function<String, Duration> limits;
    private final ScheduledExecutorService looks;
    private volatile Function<String, Optional<HeldLock>> held = key -> Optional.empty();

    /**
     * Looks from now on.
     *
     * @param limits how long a hold of this name may last
     * @param shortest the shortest of them
     */
    public SlowHoldWarnings(Function<String, Duration> limits, Duration shortest) {
        this.limits = limits;
        this.looks = Executors.newSingleThreadScheduledExecutor(SlowHoldWarnings::daemon);
        long period = Math.min(Math.max(shortest.toMillis() / LOOKS, LEAST_MILLIS), MOST_MILLIS);
        ScheduledFuture<?> unused = looks.scheduleWithFixedDelay(this::look, period, period, TimeUnit.MILLISECONDS);
    }

    /** From now on, these held locks show which locks were acquired asynchronously. */
    public void ask(HeldLocks locks) {
        held = locks::find;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(null, work, "lock-slow-holds", 0, false);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onAcquired(LockEvent.Acquired event) {
        holds.put(
                new Hold(event.key(), event.fencingToken()),
                new Begin(event.name(), System.nanoTime(), Thread.currentThread()));
    }

    @Override
    public void onReleased(LockEvent.Released event) {
        holds.remove(new Hold(event.key(), event.fencingToken()));
    }

    @Override
    public void onLost(LockEvent.Lost event) {
        holds.remove(new Hold(event.key(), event.fencingToken()));
    }

    private void look() {
        try {
            long now = System.nanoTime();
            for (Map.Entry<Hold, Begin> each : holds.entrySet()) {
                Begin begin = each.getValue();
                if (now - begin.nanos() >= limits.apply(begin.name()).toNanos() && holds.remove(each.getKey(), begin)) {
                    warn(each.getKey(), begin, Duration.ofNanos(now - begin.nanos()));
                }
            }
        } catch (RuntimeException | Error e) {
            log.warn("Could not check for locks that are held for long", e);
        }
    }

    private void warn(Hold hold, Begin begin, Duration lasted) {
        LockLogLine.about(log.atWarn(), hold.key(), begin.name(), hold.fencingToken())
                .log(
                        "Lock '{}' (fencing token {}) has been held for {}ms. {}",
                        hold.key(),
                        hold.fencingToken(),
                        lasted.toMillis(),
                        isAsync(hold)
                                ? "It was acquired asynchronously: no thread is known to work under it"
                                : activity(begin.thread()));
    }

    private boolean isAsync(Hold hold) {
        return held.apply(hold.key())
                .filter(lock -> lock.fencingToken() == hold.fencingToken())
                .filter(lock -> lock.owner().equals(HeldLock.ASYNC))
                .isPresent();
    }

    private static String activity(Thread thread) {
        String who = "Thread '" + thread.getName() + "', which acquired it, ";
        StackTraceElement[] frames = thread.getStackTrace();
        return frames.length == 0 && !thread.isAlive()
                ? who + "has terminated. Release the lock in a finally block; use LockRequest.ownedByHandle() if"
                        + " another thread is to release it"
                : who + "is now " + stack(frames);
    }

    private static String stack(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .limit(MOST_FRAMES)
                .map(frame -> System.lineSeparator() + "\tat " + frame)
                .collect(Collectors.joining("", "at", ""));
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }

    private record Hold(String key, long fencingToken) {}

    private record Begin(String name, long nanos, Thread thread) {}
}
