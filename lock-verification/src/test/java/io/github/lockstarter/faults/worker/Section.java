package io.github.lockstarter.faults.worker;

import io.github.lockstarter.faults.event.EventKind;
import io.github.lockstarter.faults.event.LabEvent;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * From a grant to its release: reads and writes the resource, and writes down what the application is entitled to
 * believe.
 *
 * <p>The clock is read <em>before</em> the remaining lease, so the deadline that is written down is never later than
 * the true one; and a time at which the hold was valid is read before it was asked whether it is.
 */
final class Section {

    static final String NOT_WRITTEN = "none";

    private final Journal journal;
    private final ResourceStore resource;
    private final WorkerOptions.Setup setup;

    Section(Journal journal, ResourceStore resource, WorkerOptions.Setup setup) {
        this.journal = journal;
        this.resource = resource;
        this.setup = setup;
    }

    /** Who asked for what. */
    record Asked(String key, long at, Duration patience) {}

    /** What is done between reading and writing. */
    interface Work {
        void run(Subject.Held held) throws InterruptedException;
    }

    /** Writes the grant down; to be called at once, before anything is done. */
    void begin(Asked asked, Subject.Held held) {
        long token = held.fencingToken();
        long now = System.nanoTime();
        long until = now + Math.max(0, held.remainingLease().toNanos());
        journal.write(journal.event(EventKind.ACQUIRED)
                .of(asked.key(), token)
                .at(now)
                .between(asked.at(), until)
                .counting(asked.patience().toNanos())
                .noting(held.path()));
        AtomicInteger losses = new AtomicInteger();
        held.onLost(() -> {
            LabEvent lost = journal.event(EventKind.LOST).of(asked.key(), token).noting(held.toString());
            journal.write(lost);
            if (losses.incrementAndGet() > 1) {
                journal.anomaly("I6", asked.key(), token, "the loss was signalled twice");
            }
            if (held.remainingLease().toNanos() > 0) {
                journal.anomaly("I6", asked.key(), token, "the loss was undone");
            }
        });
    }

    /** Reads, works, writes. Returns what became of the fenced write. */
    String run(String key, Subject.Held held, Work work) throws InterruptedException {
        long token = held.fencingToken();
        ResourceStore.Read read = resource.open(key, token, setup.has(WorkerOptions.Guard.FENCING));
        if (read.isLate()) {
            return "late";
        }
        work.run(held);
        return resource.write(key, token, read, setup.has(WorkerOptions.Guard.FENCING)) ? "written" : "refused";
    }

    /** A renewal or extension by the application. */
    void extended(String key, Subject.Held held) {
        long now = System.nanoTime();
        long left = held.remainingLease().toNanos();
        if (left > 0) {
            journal.write(journal.event(EventKind.EXTENDED)
                    .of(key, held.fencingToken())
                    .at(now)
                    .between(0, now + left));
        }
    }

    /** Releases. */
    void end(String key, Subject.Held held, String written) {
        long token = held.fencingToken();
        long now = System.nanoTime();
        long left = held.remainingLease().toNanos();
        journal.write(journal.event(EventKind.RELEASING)
                .of(key, token)
                .at(now)
                .between(0, left > 0 ? now + left : 0)
                .noting(written.isEmpty() ? NOT_WRITTEN : written));
        String outcome = held.release();
        journal.write(journal.event(EventKind.RELEASED).of(key, token).noting(outcome));
    }

    static void dwell(Duration time) {
        if (!time.isZero()) {
            LockSupport.parkNanos(time.toNanos());
        }
    }
}
