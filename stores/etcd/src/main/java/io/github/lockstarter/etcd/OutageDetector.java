package io.github.lockstarter.etcd;

import io.github.lockstarter.StoreEvent;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Tells an outage of etcd from a single request without an answer. Thread-safe; the state is replaced as a whole.
 */
final class OutageDetector {

    private static final State WELL = new State(0, 0, false);

    /** How many failed in a row, since when, and whether that was reported. */
    private record State(int failures, long since, boolean reported) {}

    private final String target;
    private final Consumer<StoreEvent> events;
    private final AtomicReference<State> state = new AtomicReference<>(WELL);
    private volatile boolean closed;

    OutageDetector(String target, Consumer<StoreEvent> events) {
        this.target = target;
        this.events = events;
    }

    String target() {
        return target;
    }

    /** A request had no answer. Two in a row are an outage. */
    void failed(String problem) {
        if (closed) {
            return;
        }
        State before = state.getAndUpdate(OutageDetector::afterFailure);
        if (!before.reported && afterFailure(before).reported) {
            events.accept(new StoreEvent.Unreachable(target, StoreEvent.Scope.ALL, problem));
        }
    }

    private static State afterFailure(State known) {
        long since = known.failures == 0 ? System.nanoTime() : known.since;
        return new State(Math.min(2, known.failures + 1), since, known.failures > 0);
    }

    /** The server has answered. */
    void answered() {
        State known = state.get();
        if (known == null || known.failures == 0) {
            return;
        }
        State before = state.getAndSet(WELL);
        if (before.reported && !closed) {
            Duration lasted = Duration.ofNanos(System.nanoTime() - before.since);
            events.accept(new StoreEvent.Reachable(target, StoreEvent.Scope.ALL, lasted));
        }
    }

    /** What fails from now on is no outage. */
    void close() {
        closed = true;
    }
}
