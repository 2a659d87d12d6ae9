package io.github.lockstarter.jdbc;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Scope;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Notices when the database does not answer any more, and when it does again. A first failure makes it suspect; it is
 * reported with a failure of a command that was sent after that one, so that neither a single timeout nor a pool that
 * is empty for a moment is an outage. Any thread calls; {@code silence} is empty while the database answers.
 */
final class Outages {

    private record Silence(long since, long epoch, boolean isReported) {}

    private final String store;
    private final Consumer<StoreEvent> receiver;
    private final AtomicLong epoch = new AtomicLong();
    private final AtomicReference<Optional<Silence>> silence = new AtomicReference<>(Optional.empty());

    Outages(String store, Consumer<StoreEvent> receiver) {
        this.store = store;
        this.receiver = receiver;
    }

    /** To be read before a command is sent. */
    long epoch() {
        return epoch.get();
    }

    private Optional<Silence> silence() {
        return Objects.requireNonNull(silence.get());
    }

    void answered() {
        if (silence().isPresent()) {
            Objects.requireNonNull(silence.getAndSet(Optional.empty()))
                    .filter(Silence::isReported)
                    .ifPresent(over -> receiver.accept(new StoreEvent.Reachable(
                            store, Scope.ALL, Duration.ofNanos(System.nanoTime() - over.since()))));
        }
    }

    void unconnected(SqlFailure failure, long epochAtSending) {
        failed(failure.problem(), epochAtSending);
    }

    void failed(String problem, long epochAtSending) {
        Optional<Silence> before = silence();
        if (before.isEmpty()) {
            Silence suspected = new Silence(System.nanoTime(), epoch.incrementAndGet(), false);
            silence.compareAndSet(before, Optional.of(suspected));
            return;
        }
        Silence suspected = before.get();
        boolean isLater = epochAtSending >= suspected.epoch();
        if (isLater
                && !suspected.isReported()
                && silence.compareAndSet(
                        before, Optional.of(new Silence(suspected.since(), suspected.epoch(), true)))) {
            receiver.accept(new StoreEvent.Unreachable(store, Scope.ALL, problem));
        }
    }
}
