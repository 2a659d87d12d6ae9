package io.github.lockstarter.faults.worker;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.EventLog;
import io.github.lockstarter.kit.event.LabEvent;

/** The worker's own event log, open as long as its JVM runs. Thread-safe. */
final class Journal {

    private final EventLog log;
    private final String worker;

    Journal(EventLog log, String worker) {
        this.log = log;
        this.worker = worker;
    }

    /** An event of this worker that happens now; not written yet. */
    LabEvent event(EventKind kind) {
        return LabEvent.now(kind, worker);
    }

    void write(LabEvent event) {
        log.add(event);
    }

    /** Something that must not be, which only the worker can see. */
    void anomaly(String invariant, String key, long token, String what) {
        write(event(EventKind.ANOMALY).of(key, token).noting(invariant + ' ' + what));
    }
}
