package io.github.lockstarter.observe;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.StoreEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs lock events: WARN for problems that callers do not receive as exceptions, DEBUG for the rest. Warns of the first
 * of consecutive failed renewals, of one doubt per minute, and of the end of both; and of a crowded key once a minute.
 * Key, name and fencing token are key-value pairs for structured logging. Thread-safe.
 */
final class LockLog implements LockListener {

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter");
    private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

    private final Set<FencedKey> failing = ConcurrentHashMap.newKeySet();
    private final Set<FencedKey> doubted = ConcurrentHashMap.newKeySet();
    private final AtomicLong lastDoubtNanos;
    private final CrowdedKeys crowded;
    private final LongSupplier monotonicNanos;

    public LockLog() {
        this(System::nanoTime);
    }

    /** @param monotonicNanos measures the minute between two doubts, and that of crowded keys */
    LockLog(LongSupplier monotonicNanos) {
        this.monotonicNanos = monotonicNanos;
        this.crowded = new CrowdedKeys(monotonicNanos);
        this.lastDoubtNanos = new AtomicLong(monotonicNanos.getAsLong() - AGAIN_NANOS);
    }

    private record FencedKey(String key, long fencingToken) {}

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired acquired) {
            acquired(acquired);
        } else if (event instanceof LockEvent.Joined joined) {
            debug(joined, "Joined readers of lock '{}' (fencing token {}) after {}", joined.waited());
        } else if (event instanceof LockEvent.Released released) {
            released(released);
        } else if (event instanceof LockEvent.Contended contended) {
            debug(contended, "Waiting for lock '{}'");
        } else if (event instanceof LockEvent.NotAcquired refused) {
            notAcquired(refused);
        } else if (event instanceof LockEvent.Renewed renewed) {
            renewed(renewed);
        } else if (event instanceof LockEvent.Lost lost) {
            lost(lost);
        } else if (event instanceof LockEvent.Abandoned abandoned) {
            abandoned(abandoned);
        } else if (event instanceof LockEvent.InDoubt doubt) {
            inDoubt(doubt);
        } else if (event instanceof LockEvent.Confirmed confirmed) {
            confirmed(confirmed);
        }
    }

    @Override
    public void onStoreEvent(StoreEvent event) {
        StoreLog.write(event);
    }

    private static void write(Level level, LockEvent event, String message, Object... further) {
        if (!log.isEnabledForLevel(level)) {
            return;
        }
        String key = LockRequest.printable(event.key());
        LoggingEventBuilder line = log.atLevel(level)
                .addKeyValue("lock.key", key)
                .addKeyValue("lock.name", event.name())
                .addArgument(key);
        if (event.fencingToken() != 0) {
            line = line.addKeyValue("lock.fencingToken", event.fencingToken()).addArgument(event.fencingToken());
        }
        for (Object argument : further) {
            line = line.addArgument(argument instanceof Duration duration ? DurationText.of(duration) : argument);
        }
        line.log(message);
    }

    static void warn(LockEvent event, String message, Object... further) {
        write(Level.WARN, event, message, further);
    }

    private static void debug(LockEvent event, String message, Object... further) {
        write(Level.DEBUG, event, message, further);
    }

    private static void acquired(LockEvent.Acquired event) {
        debug(
                event,
                "Acquired lock '{}' (fencing token {}, {}) after {} and {} attempts",
                event.path(),
                event.waited(),
                event.attempts());
        event.takenOverFrom()
                .ifPresent(from -> warn(
                        event,
                        "Took lock '{}' (fencing token {}) over from instance {}{}, which is no longer connected to "
                                + "the lock store. Check whether that instance crashed, and whether its work was "
                                + "left unfinished",
                        from.instanceText(),
                        ownerOf(from)));
    }

    private static String ownerOf(LockHolder from) {
        Optional<String> owner =
                from.owner().map(name -> name.equals(HeldLock.ASYNC) ? " (asynchronous)" : " (thread '" + name + "')");
        return owner.orElse("")
                + from.since().map(since -> ", held since " + since).orElse("");
    }

    private void notAcquired(LockEvent.NotAcquired event) {
        debug(event, "Did not acquire lock '{}' within {} ({})", event.waited(), event.refusal());
        if (event.refusal() == LockEvent.Refusal.CONTENDED
                && event.queued()
                && crowded.becomesCrowded(event.key(), event.waited())) {
            warn(
                    event,
                    "Lock '{}' is crowded: {} waits of {} or more for it were given up in this minute and instance, "
                            + "the last after {}. Shorten the work under it, or lock smaller parts",
                    CrowdedKeys.MANY,
                    CrowdedKeys.LONG,
                    event.waited());
        }
    }

    private void renewed(LockEvent.Renewed event) {
        FencedKey hold = new FencedKey(event.key(), event.fencingToken());
        switch (event.outcome()) {
            case RENEWED -> {
                boolean again = failing.remove(hold);
                write(
                        again ? Level.WARN : Level.DEBUG,
                        event,
                        "Renewed lock '{}' (fencing token {})" + (again ? " again" : ""));
            }
            case FAILED -> {
                if (failing.add(hold)) {
                    warn(
                            event,
                            "Could not renew lock '{}' (fencing token {}); the engine retries until its lease is over."
                                    + " Check the connection to the lock store");
                }
            }
            case LOST -> failing.remove(hold);
        }
    }

    private void released(LockEvent.Released event) {
        forget(event);
        if (event.outcome() == ReleaseOutcome.UNKNOWN) {
            warn(
                    event,
                    "The lock store did not confirm the release of lock '{}' (fencing token {}), which was held for {};"
                            + " the release is repeated, and the lock ends with its lease at the latest",
                    event.held());
        } else {
            debug(event, "Released lock '{}' (fencing token {}, {}) after {}", event.outcome(), event.held());
        }
    }

    private void lost(LockEvent.Lost event) {
        forget(event);
        warn(
                event,
                "Lost lock '{}' (fencing token {}) after {}: {}, {} failed renewals{}. Work since then may overlap with"
                        + " another owner; check the fencing token where you write",
                event.held(),
                event.cause(),
                event.failedRenewals(),
                event.cause() == LockEvent.LossCause.LEASE_EXPIRED && event.failedRenewals() == 0
                        ? " (this JVM was paused, the store confirmed no renewal in time, or "
                                + "the lock is not renewed)"
                        : "");
    }

    private void forget(LockEvent event) {
        FencedKey hold = new FencedKey(event.key(), event.fencingToken());
        failing.remove(hold);
        doubted.remove(hold);
    }

    private void inDoubt(LockEvent.InDoubt event) {
        long last = lastDoubtNanos.get();
        long now = monotonicNanos.getAsLong();
        boolean warned = now - last >= AGAIN_NANOS && lastDoubtNanos.compareAndSet(last, now);
        if (warned) {
            doubted.add(new FencedKey(event.key(), event.fencingToken()));
        }
        write(
                warned ? Level.WARN : Level.DEBUG,
                event,
                "Lock '{}' (fencing token {}), held for {}, is in doubt: the lock store has not confirmed it for about"
                        + " crash-takeover, and another instance may have taken it over. The connection was "
                        + "interrupted, the store is slow, or this JVM was paused. ensureHeld() waits for the answer, "
                        + "for one command timeout at most. Further locks in doubt are logged at DEBUG for a minute",
                event.held());
    }

    private void confirmed(LockEvent.Confirmed event) {
        boolean warned = doubted.remove(new FencedKey(event.key(), event.fencingToken()));
        write(
                warned ? Level.WARN : Level.DEBUG,
                event,
                "Lock '{}' (fencing token {}) is held: the lock store confirmed it after {} in doubt",
                event.inDoubtFor());
    }

    private static void abandoned(LockEvent.Abandoned event) {
        Instant since = Instant.now().minus(event.held()).truncatedTo(ChronoUnit.MILLIS);
        String activity =
                switch (event.abandonment()) {
                    case RELEASED -> "Thread '{}', which acquired it, has ended. The lock is released now";
                    case KEPT ->
                        "'{}' acquired it, and work under it may still run. The lock is renewed until this instance"
                                + " stops, max-hold is over, or an operator releases it";
                };
        warn(
                event,
                "No code can release lock '{}' (fencing token {}, name '{}'), held since {}: none of its handles can "
                        + "be reached. " + activity
                        + ". Release locks in a finally block, and keep the handle of a lock that is to be held",
                event.name(),
                since,
                event.owner());
    }
}
