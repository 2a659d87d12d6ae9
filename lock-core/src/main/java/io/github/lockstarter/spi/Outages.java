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
 * Notices when a server of the store does not answer any more, and when it does again. A first command without an
 * answer makes the server suspect; the outage is reported with a command that was sent after that and has no answer
 * either, so that neither a single timeout nor one connection that breaks under many commands is an outage. The next
 * answer ends it, also one to an operator or to a health check. A refusal is neither: the server cannot be used, but
 * it is there.
 *
 * <p>Any thread calls. {@code silences} has an entry for each server from its first failure to its next answer; an
 * entry ends also with an answer of another server that has taken over the key that failed. {@code epoch} grows with
 * each failure, so that a command knows by its value at the sending whether it was sent later. Accepted race: two
 * threads that report the begin and the end in the same moment may do so in the wrong order.
 *
 * <p>For the modules of this project: public because they share it, and no part of the port.
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
     * The store answers, as far as is known.
     *
     * @param store says what a silence is, and which server has a key
     * @param scope of the events, unless they are about one of several servers
     * @param nanoTime the monotonic clock
     * @param receiver of the events; returns at once
     */
    public Outages(LockBackend store, Scope scope, LongSupplier nanoTime, Consumer<StoreEvent> receiver) {
        this.store = store;
        this.scope = scope;
        this.nanoTime = nanoTime;
        this.receiver = receiver;
    }

    /**
     * To be read before a command is sent.
     *
     * @return what {@link #ended} takes with its result
     */
    public long epoch() {
        return epoch.get();
    }

    /**
     * A command has ended.
     *
     * @param key of the command; any for one that is about all keys
     * @param result an answer, unless it is a {@link FailedResult}
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
     * An operator's question or command has ended.
     *
     * @param key of the lock
     * @param told an answer, unless it is unknown, which does not say why
     */
    public void told(String key, Object told) {
        if (!(told instanceof StoredLock.Unknown || told instanceof Revocation.Unknown)) {
            ended(key, told, epoch());
        }
    }

    /**
     * The store was asked how it is. If one of several servers cannot be used, it is not known which of them answer.
     *
     * @param state the answer
     */
    public void answered(StoreState state) {
        boolean isWhole = state.nodes().stream().allMatch(node -> node.failure().isEmpty());
        if (state.failure().isEmpty()) {
            answered(silence -> silence.scope == scope || isWhole);
        }
    }

    private void answered(Predicate<Silence> which) {
        silences.values().stream().filter(which).forEach(silence -> answered(silence.server));
    }

    /**
     * A command has failed.
     *
     * @param key of the command; any for one that is about all keys
     * @param cause the failure
     * @param epochAtSending {@link #epoch} before the command was sent
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
     * A server has answered.
     *
     * @param server as events call it
     */
    public void answered(String server) {
        Silence over = silences.remove(server);
        if (over != null && over.isReported) {
            Duration lasted = Duration.ofNanos(nanoTime.getAsLong() - over.since);
            receiver.accept(new StoreEvent.Reachable(server, over.scope, lasted));
        }
    }

    /** By the cause: a result names its key as well, and what to do. */
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
