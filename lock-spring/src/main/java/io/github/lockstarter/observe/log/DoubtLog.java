package io.github.lockstarter.observe.log;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockListener;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Writes into the log when locks come into doubt, are confirmed, or are taken over from another instance. An
 * interrupted connection brings every lock of the instance into doubt at once: only the first of them is a WARN, and so
 * is its confirmation; the others are DEBUG until the first one is confirmed, lost or released, or a minute has passed.
 *
 * <p>The one mutable field is the lock that was warned about. Of two threads that come into doubt at once, one warns.
 */
public final class DoubtLog implements LockListener {

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter");
    private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier monotonicNanos;
    private final AtomicReference<@Nullable Warning> warned = new AtomicReference<>();

    public DoubtLog() {
        this(System::nanoTime);
    }

    /** For the time after which another lock in doubt is worth a warning. */
    DoubtLog(LongSupplier monotonicNanos) {
        this.monotonicNanos = monotonicNanos;
    }

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.InDoubt doubt) {
            inDoubt(doubt);
        } else if (event instanceof LockEvent.Confirmed confirmed) {
            confirmed(confirmed);
        } else if (event instanceof LockEvent.Released released) {
            settled(released.key(), released.fencingToken());
        } else if (event instanceof LockEvent.Lost lost) {
            settled(lost.key(), lost.fencingToken());
        } else if (event instanceof LockEvent.Acquired acquired) {
            acquired.takenOverFrom().ifPresent(from -> takenOver(acquired, from));
        }
    }

    private void inDoubt(LockEvent.InDoubt event) {
        LockLogLine.about(log.atLevel(levelOf(event)), event, event.fencingToken())
                .log(
                        "Lock '{}' (fencing token {}), held for {}, is in doubt: the lock store has not confirmed it for"
                                + " about crash-takeover, and another instance may have taken it over. The connection was"
                                + " interrupted, the store is slow, or this JVM was paused. ensureHeld() waits for the"
                                + " answer, for one command timeout at most. Further locks in doubt are logged at DEBUG",
                        event.fencingToken(),
                        DurationText.of(event.held()));
    }

    private Level levelOf(LockEvent.InDoubt event) {
        Warning last = warned.get();
        long now = monotonicNanos.getAsLong();
        boolean isDue = last == null || now - last.at >= AGAIN_NANOS;
        return isDue && warned.compareAndSet(last, new Warning(event.key(), event.fencingToken(), now))
                ? Level.WARN
                : Level.DEBUG;
    }

    private void confirmed(LockEvent.Confirmed event) {
        Level level = settled(event.key(), event.fencingToken()) ? Level.WARN : Level.DEBUG;
        LockLogLine.about(log.atLevel(level), event, event.fencingToken())
                .log(
                        "Lock '{}' (fencing token {}) is held: the lock store confirmed it after {} in doubt",
                        event.fencingToken(),
                        DurationText.of(event.inDoubtFor()));
    }

    /** Whether it is the lock that was warned about; from now on, none is. */
    private boolean settled(String key, long fencingToken) {
        Warning last = warned.get();
        return last != null
                && last.fencingToken == fencingToken
                && last.key.equals(key)
                && warned.compareAndSet(last, null);
    }

    private static void takenOver(LockEvent.Acquired event, LockHolder from) {
        LockLogLine.about(log.atWarn(), event, event.fencingToken())
                .log(
                        "Took lock '{}' (fencing token {}) over from instance {}{}, which is not connected to the lock"
                                + " backend any more. Check whether that instance crashed, and whether its work was left"
                                + " unfinished",
                        event.fencingToken(),
                        from.instanceText(),
                        ownerOf(from));
    }

    private static String ownerOf(LockHolder from) {
        Optional<String> owner =
                from.owner().map(name -> name.equals(HeldLock.ASYNC) ? " (asynchronous)" : " (thread '" + name + "')");
        return owner.orElse("")
                + from.since().map(since -> ", held since " + since).orElse("");
    }

    /** The lock that was warned about, and when. */
    private record Warning(String key, long fencingToken, long at) {}
}
