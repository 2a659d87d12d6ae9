package io.github.lockstarter.spi;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Scope;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Detects outages of a store's servers. The first command without an answer makes a server suspect; an outage is
 * reported when a command sent afterwards has no answer either, so a single timeout or broken connection does not
 * count. The next answer to any command ends it. Refusals are ignored.
 *
 * <p>Thread-safe. {@code silences} has an entry for each server from its first failure to its next answer, or to an
 * answer of the server that has taken over the key that failed. {@code epoch} grows with each failure and orders
 * commands after failures. Accepted race: simultaneous begin and end may be reported in the wrong order.
 *
 * <p>Internal to this project's modules.
 */
public final class Outages {

    private record Silence(String server, Scope scope, String key, long since, long epoch, boolean isReported) {}

    private final LockBackend store;
    private final Scope scope;
    private final LongSupplier nanoTime;
    private final Consumer<StoreEvent> receiver;
    private final Map<String, Silence> silences = new ConcurrentHashMap<>();
    private final AtomicLong epoch = new AtomicLong();

    /**
     * Starts without an outage.
     *
     * @param store classifies failures and locates keys
     * @param scope of events about the whole store
     * @param nanoTime monotonic clock
     * @param receiver must not block
     */
    public Outages(LockBackend store, Scope scope, LongSupplier nanoTime, Consumer<StoreEvent> receiver) {
        this.store = store;
        this.scope = scope;
        this.nanoTime = nanoTime;
        this.receiver = receiver;
    }

    /** {@return the epoch before a command is sent, for {@link #ended}} */
    public long epoch() {
        return epoch.get();
    }

    /**
     * Records the end of a command.
     *
     * @param key of the command, or any key
     * @param result answer, or a {@link FailedResult}
     * @param epochAtSending {@link #epoch} before the command was sent
     */
    public void ended(String key, Object result, long epochAtSending) {
        if (result instanceof FailedResult failed) {
            failed(key, failed.cause(), epochAtSending);
        } else if (!silences.isEmpty()) {
            String server = serverOf(key);
            answered(silence -> silence.scope == scope || serverOf(silence.key).equals(server));
        }
    }

    /**
     * Records the end of an operator's command.
     *
     * @param key of the lock
     * @param told answer, or unknown
     */
    public void told(String key, Object told) {
        if (!(told instanceof StoredLock.Unknown || told instanceof Revocation.Unknown)) {
            ended(key, told, epoch());
        }
    }

    /**
     * Records the store's answer about its state. If one of several servers is unusable, it is unknown which ones
     * answered.
     *
     * @param state answer
     */
    public void answered(StoreState state) {
        boolean whole = state.nodes().stream().allMatch(node -> node.failure().isEmpty());
        if (state.failure().isEmpty()) {
            answered(silence -> silence.scope == scope || whole);
        }
    }

    private void answered(Predicate<Silence> which) {
        silences.values().stream().filter(which).forEach(silence -> answered(silence.server));
    }

    /**
     * Records a failed command.
     *
     * @param key of the command, or any key
     * @param cause failure
     * @param epochAtSending as for {@link #ended}
     */
    public void failed(String key, Throwable cause, long epochAtSending) {
        if (!store.isSilence(cause)) {
            return;
        }
        Optional<String> part = store.serverOf(key);
        String server = part.orElseGet(store::toString);
        Scope reach = part.isPresent() ? Scope.PART : scope;
        Silence first = new Silence(server, reach, key, nanoTime.getAsLong(), epoch.incrementAndGet(), false);
        Silence known = silences.putIfAbsent(server, first);
        if (known != null && !known.isReported && epochAtSending - known.epoch >= 0) {
            Silence reported = new Silence(server, known.scope, known.key, known.since, known.epoch, true);
            if (silences.replace(server, known, reported)) {
                receiver.accept(new StoreEvent.Unreachable(server, known.scope, problemOf(cause)));
            }
        }
    }

    /**
     * Records an answer of a server.
     *
     * @param server name in events
     */
    public void answered(String server) {
        Silence over = silences.remove(server);
        if (over != null && over.isReported) {
            Duration lasted = Duration.ofNanos(nanoTime.getAsLong() - over.since);
            receiver.accept(new StoreEvent.Reachable(server, over.scope, lasted));
        }
    }

    /** The innermost message: outer ones name the key and a remedy. */
    private static String problemOf(Throwable failure) {
        String problem = failure.getClass().getSimpleName();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage();
            problem = message == null || message.isBlank() ? problem : message;
        }
        String line = problem.strip().lines().findFirst().orElse(problem);
        return LockRequest.printable(line.replaceFirst("\\.$", ""));
    }

    private String serverOf(String key) {
        return store.serverOf(key).orElseGet(store::toString);
    }
}
