package io.github.lockstarter.faults.worker;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A section from the grant to its release: reads and writes the resource, and logs what the application may rely on. A
 * {@linkplain Writer#CAREFUL careful} application does not write while the hold is in doubt.
 *
 * <p>The clock is read <em>before</em> the remaining lease, so the logged deadline is never later than the actual one;
 * and the time at which a hold was valid is read before the hold is checked.
 */
final class Section {

    static final String NOT_WRITTEN = "none";

    private static final String LOST = "lost";
    private static final String READ = "read";

    private final Journal journal;
    private final ResourceStore resource;
    private final WorkerOptions.Setup setup;

    Section(Journal journal, ResourceStore resource, WorkerOptions.Setup setup) {
        this.journal = journal;
        this.resource = resource;
        this.setup = setup;
    }

    /** The request of a caller. */
    record Asked(String key, long at, Duration patience, LockMode mode) {}

    /** The work between reading and writing. */
    interface Work {
        void run(WatchedHold hold) throws InterruptedException;
    }

    /** How an application treats the resource. */
    enum Writer {
        /** It makes sure that the lock is held before each step. */
        CAREFUL,
        /** It leaves late writes to the check of the fencing token. */
        CARELESS
    }

    /** Writes the grant down; to be called at once, before anything is done. */
    WatchedHold begin(Asked asked, Subject.Held held) {
        long token = held.fencingToken();
        String key = LabEvent.slotOf(asked.key(), held.slot());
        long now = System.nanoTime();
        long until = now + Math.max(0, held.remainingLease().toNanos());
        journal.write(journal.event(EventKind.ACQUIRED)
                .of(key, token)
                .at(now)
                .between(asked.at(), until)
                .counting(asked.patience().toNanos())
                .noting(held.path()));
        WatchedHold hold = new WatchedHold(journal, key, held);
        hold.look();
        watchLoss(key, held);
        return hold;
    }

    private void watchLoss(String key, Subject.Held held) {
        long token = held.fencingToken();
        AtomicInteger losses = new AtomicInteger();
        held.onLost(() -> {
            journal.write(journal.event(EventKind.LOST).of(key, token));
            if (losses.incrementAndGet() > 1) {
                journal.anomaly("I6", key, token, "the loss was signalled twice");
            }
            if (held.remainingLease().toNanos() > 0 || held.isHeld()) {
                journal.anomaly("I6", key, token, "the loss was undone");
            }
        });
    }

    /** Reads, works and writes. Returns the outcome of the fenced write. */
    String run(WatchedHold hold, Writer writer, Work work) throws InterruptedException {
        boolean fencing = setup.has(WorkerOptions.Guard.FENCING);
        String key = hold.key();
        long token = hold.held().fencingToken();
        if (!mayWrite(hold, writer)) {
            return LOST;
        }
        ResourceStore.Read read = resource.open(key, token, fencing);
        if (read.isLate()) {
            return "late";
        }
        work.run(hold);
        if (!mayWrite(hold, writer)) {
            return LOST;
        }
        return resource.write(key, token, read, fencing) ? "written" : "refused";
    }

    /** Reads before and after the work: while a reader has the lock, no value changes. */
    String read(WatchedHold hold, Work work) throws InterruptedException {
        String lock = LabEvent.lockOf(hold.key());
        long token = hold.held().fencingToken();
        long before = resource.read(lock, token);
        work.run(hold);
        long after = resource.read(lock, token);
        if (after != before && hold.look() && setup.has(WorkerOptions.Guard.FENCING)) {
            journal.anomaly("I1", lock, token, "the value changed from " + before + " to " + after + " under a reader");
        }
        return READ;
    }

    private static boolean mayWrite(WatchedHold hold, Writer writer) {
        try {
            if (writer == Writer.CAREFUL) {
                hold.held().ensureHeld();
            }
            hold.look();
            return true;
        } catch (LockLostException e) {
            return false;
        }
    }

    /** A renewal or extension by the application. */
    void extended(WatchedHold hold) {
        long now = System.nanoTime();
        long left = hold.held().remainingLease().toNanos();
        if (left > 0) {
            journal.write(journal.event(EventKind.EXTENDED)
                    .of(hold.key(), hold.held().fencingToken())
                    .at(now)
                    .between(0, now + left));
        }
        hold.look();
    }

    /** Goes on as a reader; returns the same hold if that failed, which must not write any more either. */
    WatchedHold downgrade(WatchedHold writer, String written) {
        long now = System.nanoTime();
        leave(writer, written);
        try {
            writer.held().downgrade();
        } catch (LockException e) {
            return writer;
        }
        journal.write(journal.event(EventKind.RELEASED)
                .of(writer.key(), writer.held().fencingToken())
                .noting("DOWNGRADED"));
        return begin(new Asked(writer.key(), now, Duration.ZERO, LockMode.READ), writer.held());
    }

    /** Releases. */
    void end(WatchedHold hold, String written) {
        leave(hold, written);
        String outcome = hold.held().release();
        journal.write(journal.event(EventKind.RELEASED)
                .of(hold.key(), hold.held().fencingToken())
                .noting(outcome));
    }

    private void leave(WatchedHold hold, String written) {
        Subject.Held held = hold.held();
        long now = System.nanoTime();
        long left = held.remainingLease().toNanos();
        hold.look();
        journal.write(journal.event(EventKind.RELEASING)
                .of(hold.key(), held.fencingToken())
                .at(now)
                .between(hold.certainAt(), left > 0 ? now + left : 0)
                .noting(written.isEmpty() ? NOT_WRITTEN : written));
    }

    static void dwell(Duration time) {
        if (!time.isZero()) {
            LockSupport.parkNanos(time.toNanos());
        }
    }
}
