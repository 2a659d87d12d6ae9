package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.ArrayList;
import java.util.List;

/** Events of workers of the starter with a lease of 1 s, written by hand; times are in ms. */
final class Script {

    private static final long MILLI = 1_000_000;

    private final List<LabEvent> events = new ArrayList<>();
    private String key = "k";

    private Script(String... workers) {
        for (String worker : workers) {
            event(EventKind.STARTED, worker, 0)
                    .counting(1_000 * MILLI)
                    .noting("STARTER")
                    .add();
        }
    }

    static Script of(String... workers) {
        return new Script(workers);
    }

    /** The events that follow are of this key. */
    Script on(String slot) {
        key = slot;
        return this;
    }

    /** A store that declares so, with times in ms. */
    Script store(String signals, long session, long electionDelay) {
        return event(EventKind.STORE, "w1", 0)
                .between(0, electionDelay)
                .counting(session * MILLI)
                .noting(signals)
                .add();
    }

    /** A hold that the application may use from {@code at} on. */
    Script acquired(String worker, long token, long at, long deadline) {
        return acquired(worker, token, at, deadline, "UNCONTENDED");
    }

    Script acquired(String worker, long token, long at, long deadline, String path) {
        return acquired(worker, token, at, at, deadline, path);
    }

    /** The same, requested earlier. */
    Script acquired(String worker, long token, long from, long at, long deadline, String path) {
        return event(EventKind.ACQUIRED, worker, at)
                .token(token)
                .between(from, deadline)
                .noting(path)
                .add();
    }

    /** A grant of a lock that may be taken over so many ms after the end of its holder's connection. */
    Script promising(String worker, long token, long takeover, long at) {
        return event(EventKind.GRANTED, worker, at)
                .token(token)
                .between(takeover, 0)
                .add();
    }

    /** Its worker sees that the hold is certain. */
    Script certain(String worker, long token, long at) {
        return event(EventKind.CERTAIN, worker, at).token(token).add();
    }

    Script releasing(String worker, long token, long at, long deadline) {
        return releasing(worker, token, at, deadline, 0);
    }

    Script releasing(String worker, long token, long at, long deadline, long certainAt) {
        return event(EventKind.RELEASING, worker, at)
                .token(token)
                .between(certainAt, deadline)
                .noting("written")
                .add();
    }

    Script released(String worker, long token, long at, String outcome) {
        return event(EventKind.RELEASED, worker, at)
                .token(token)
                .noting(outcome)
                .add();
    }

    Script lost(String worker, long token, long at, String cause) {
        event(EventKind.LOST, worker, at).token(token).add();
        return reported(worker, token, at + 1, cause);
    }

    /** A loss reported to listeners. */
    Script reported(String worker, long token, long at, String cause) {
        return event(EventKind.LOSS_REPORTED, worker, at)
                .token(token)
                .noting(cause)
                .add();
    }

    Script refused(String worker, long from, long wait, long at) {
        return event(EventKind.REFUSED, worker, at)
                .between(from, 0)
                .counting(wait * MILLI)
                .noting("CONTENDED")
                .add();
    }

    /** The store did not answer. */
    Script failed(String worker, long at) {
        return event(EventKind.REFUSED, worker, at)
                .between(at, 0)
                .noting("ERROR")
                .add();
    }

    Script fault(String name, long from, long until) {
        return event(EventKind.FAULT, "nemesis", until)
                .between(from, until)
                .noting(name)
                .add();
    }

    /** A fault of one worker's process. */
    Script faultOf(String worker, String name, long from, long until) {
        events.add(LabEvent.at(EventKind.FAULT, "nemesis", until * MILLI)
                .of(worker, 0)
                .between(from * MILLI, until * MILLI)
                .noting(name));
        return this;
    }

    Script killed(String worker, long at) {
        return event(EventKind.KILLED, worker, at).between(at, at).add();
    }

    Script stalled(String worker, long from, long until) {
        return event(EventKind.STALLED, worker, until).between(from, until).add();
    }

    Script answeredLate(String worker, long from, long until) {
        return event(EventKind.ANSWERED_LATE, worker, until)
                .between(from, until)
                .add();
    }

    /** An event of kind and lock token alone. */
    Script sent(EventKind kind, String worker, long lockToken, long at) {
        return event(kind, worker, at).counting(lockToken).add();
    }

    /** A grant of the backend, with so many others waiting. */
    Script granted(String worker, long others, long at) {
        LabEvent plain = LabEvent.at(EventKind.GRANTED, worker, at * MILLI).of(key, 1);
        events.add(plain.between(0, others));
        return this;
    }

    Script resource(String number, long value, long writes, long at) {
        LabEvent plain = LabEvent.at(EventKind.RESOURCE, "resource", at * MILLI).of("k", 0);
        events.add(plain.between(value, 0).counting(writes).noting(number));
        return this;
    }

    Script anomaly(String what, long at) {
        return event(EventKind.ANOMALY, "w1", at).noting(what).add();
    }

    List<Violation> check(Check check) {
        return check.violations(history());
    }

    /** As if read from the logs. */
    History history() {
        List<LabEvent> ordered = new ArrayList<>(events);
        ordered.sort((a, b) -> Long.compare(a.at(), b.at()));
        return new History(
                ordered.stream().map(event -> LabEvent.parse(event.toJson())).toList());
    }

    private Line event(EventKind kind, String worker, long at) {
        return new Line(LabEvent.at(kind, worker, at * MILLI).of(key, 0));
    }

    /** An event that is being written. */
    private final class Line {

        private LabEvent event;

        Line(LabEvent event) {
            this.event = event;
        }

        Line token(long token) {
            event = event.of(key, token);
            return this;
        }

        Line between(long from, long until) {
            event = event.between(from * MILLI, until * MILLI);
            return this;
        }

        Line counting(long amount) {
            event = event.counting(amount);
            return this;
        }

        Line noting(String note) {
            event = event.noting(note);
            return this;
        }

        Script add() {
            events.add(event);
            return Script.this;
        }
    }
}
