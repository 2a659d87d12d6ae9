package io.github.lockstarter.observe.log;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.ReleaseOutcome;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what happens to locks into the log: DEBUG for normal events, WARN for problems. Of a row of failed renewals
 * only the first and the recovery are logged. Events that the caller gets as an exception are not logged again. Key,
 * name and fencing token are also key-value pairs of each line, as structured logging shows them.
 *
 * <p>The one mutable field is the set of holds whose last renewal failed; an entry leaves it with recovery, loss or
 * release.
 */
public final class LockLog implements LockListener {

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter");

    private final Set<Hold> failing = ConcurrentHashMap.newKeySet();

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired acquired) {
            acquired(acquired);
        } else if (event instanceof LockEvent.Released released) {
            released(released);
        } else if (event instanceof LockEvent.Contended contended) {
            LockLogLine.about(log.atDebug(), contended).log("Waiting for lock '{}'");
        } else if (event instanceof LockEvent.NotAcquired refused) {
            notAcquired(refused);
        } else if (event instanceof LockEvent.Renewed renewed) {
            renewed(renewed);
        } else if (event instanceof LockEvent.Lost lost) {
            lost(lost);
        } else if (event instanceof LockEvent.Abandoned abandoned) {
            abandoned(abandoned);
        }
    }

    private static void acquired(LockEvent.Acquired event) {
        LockLogLine.about(log.atDebug(), event, event.fencingToken())
                .log(
                        "Acquired lock '{}' (fencing token {}, {}) after {} and {} attempts",
                        event.fencingToken(),
                        event.path(),
                        DurationText.of(event.waited()),
                        event.attempts());
    }

    private static void notAcquired(LockEvent.NotAcquired event) {
        LockLogLine.about(log.atDebug(), event)
                .log("Did not acquire lock '{}' within {} ({})", DurationText.of(event.waited()), event.refusal());
    }

    private void renewed(LockEvent.Renewed event) {
        Hold hold = new Hold(event.key(), event.fencingToken());
        switch (event.outcome()) {
            case RENEWED -> {
                if (failing.remove(hold)) {
                    LockLogLine.about(log.atWarn(), event, event.fencingToken())
                            .log("Renewed lock '{}' (fencing token {}) again", event.fencingToken());
                } else {
                    LockLogLine.about(log.atDebug(), event, event.fencingToken())
                            .log("Renewed lock '{}' (fencing token {})", event.fencingToken());
                }
            }
            case FAILED -> {
                if (failing.add(hold)) {
                    LockLogLine.about(log.atWarn(), event, event.fencingToken())
                            .log(
                                    "Could not renew lock '{}' (fencing token {}); the engine retries until its "
                                            + "lease is over. Check the connection to the lock backend",
                                    event.fencingToken());
                }
            }
            case LOST -> failing.remove(hold);
        }
    }

    private void released(LockEvent.Released event) {
        failing.remove(new Hold(event.key(), event.fencingToken()));
        if (event.outcome() == ReleaseOutcome.UNKNOWN) {
            LockLogLine.about(log.atWarn(), event, event.fencingToken())
                    .log(
                            "The lock store did not confirm the release of lock '{}' (fencing token {}), which was held for {}; the"
                                    + " release is repeated, and the lock ends with its lease at the latest",
                            event.fencingToken(),
                            DurationText.of(event.held()));
        } else {
            LockLogLine.about(log.atDebug(), event, event.fencingToken())
                    .log(
                            "Released lock '{}' (fencing token {}, {}) after {}",
                            event.fencingToken(),
                            event.outcome(),
                            DurationText.of(event.held()));
        }
    }

    private void lost(LockEvent.Lost event) {
        failing.remove(new Hold(event.key(), event.fencingToken()));
        LockLogLine.about(log.atWarn(), event, event.fencingToken())
                .log(
                        "Lost lock '{}' (fencing token {}) after {}: {}, {} failed renewals. Work since then may overlap with "
                                + "another owner; check the fencing token where you write",
                        event.fencingToken(),
                        DurationText.of(event.held()),
                        event.cause(),
                        event.failedRenewals());
    }

    private static void abandoned(LockEvent.Abandoned event) {
        Instant since = Instant.now().minus(event.held()).truncatedTo(ChronoUnit.MILLIS);
        String what =
                switch (event.abandonment()) {
                    case RELEASED -> "Thread '{}', which acquired it, has ended. The lock is released now";
                    case KEPT ->
                        "'{}' acquired it, and work under it may still run. The lock is renewed until this instance"
                                + " stops, max-hold is over, or an operator releases it";
                };
        LockLogLine.about(log.atWarn(), event, event.fencingToken())
                .log(
                        "No code can release lock '{}' (name '{}', fencing token {}), held since {}: no handle of it can be"
                                + " reached any more. " + what
                                + ". Release locks in a finally block, and keep the handle of a lock that is to be held",
                        event.name(),
                        event.fencingToken(),
                        since,
                        event.owner());
    }

    private record Hold(String key, long fencingToken) {}
}
