package io.github.lockstarter.redis.failure;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Notices when a server does not answer any more, and when it does again. A first failure makes it suspect; it is
 * reported with a failure of a command that was sent after that one, or of a connection that could not be opened. So
 * neither a single timeout, nor a connection that is slow to open, nor one that breaks under many commands is reported.
 *
 * <p>Callers' threads and event loops call. {@code silences} has an entry for each server from its first failure to its
 * next answer, in a cluster by the node; an entry ends also with the answer of another node that has taken its slot
 * over. {@code epoch} grows with each entry, so that a command knows by its value at the sending whether it was sent
 * later. A {@link Silence} goes from suspected to reported, and from either to over; the thread that moves it on
 * reports. Accepted race: two threads that do so in the same moment may report in the wrong order.
 */
public final class OutageDetector {

    private final String target;
    private final Function<String, Optional<String>> nodeOf;
    private final LongSupplier nanoTime;
    private final Map<String, Silence> silences = new ConcurrentHashMap<>();
    private final AtomicInteger epoch = new AtomicInteger();
    private volatile Consumer<StoreEvent> receiver = event -> {};
    private volatile boolean isReportedOtherwise;

    /**
     * Knows nothing yet.
     *
     * @param target what messages call the servers
     * @param nodeOf what finds the node of a cluster that has a key; empty where there is one server, or no node is
     *     known
     * @param nanoTime the clock
     */
    public OutageDetector(String target, Function<String, Optional<String>> nodeOf, LongSupplier nanoTime) {
        this.target = target;
        this.nodeOf = nodeOf;
        this.nanoTime = nanoTime;
    }

    /** Reports to this receiver from now on. */
    public void reportTo(Consumer<StoreEvent> next) {
        receiver = next;
    }

    /**
     * Whether the caller of the commands reports by itself that the server does not answer; its return is reported
     * here.
     */
    public void reportedOtherwise(boolean otherwise) {
        isReportedOtherwise = otherwise;
    }

    /** To be read before a command is sent. */
    public int epoch() {
        return epoch.get();
    }

    /** The server that has the key answered. */
    public void answered(String key) {
        if (!silences.isEmpty()) {
            String node = nodeOf(key);
            silences.forEach((name, silence) -> {
                if (nodeOf(silence.key).equals(node) && silences.remove(name, silence)) {
                    end(name, silence);
                }
            });
        }
    }

    private void end(String name, Silence silence) {
        if (silence.phase.getAndSet(Phase.OVER) == Phase.REPORTED) {
            Duration lasted = Duration.ofNanos(nanoTime.getAsLong() - silence.since);
            receiver.accept(new StoreEvent.Reachable(store(name), scope(name), lasted));
        }
    }

    /** A command ended without the script's reply; the server may have refused it. */
    public void failed(String key, RedisFailure failure, int epochAtSending) {
        if (failure.cause() instanceof RedisCommandExecutionException) {
            if (failure.effect() != RedisFailure.Effect.NOT_YET) {
                answered(key);
            }
        } else if (isSilence(failure.cause())) {
            Silence silence = silenceOf(key);
            if (epochAtSending - silence.epoch >= 0) {
                report(key, silence, failure);
            }
        }
    }

    /** A connection could not be opened, or only not in time for the command. */
    public void unconnected(String key, RedisFailure failure, int epochAtSending) {
        if (ExceptionCauses.rootOf(failure.cause()) instanceof RedisCommandTimeoutException) {
            failed(key, failure, epochAtSending);
        } else if (isSilence(failure.cause())) {
            report(key, silenceOf(key), failure);
        }
    }

    private Silence silenceOf(String key) {
        return silences.computeIfAbsent(
                nodeOf(key), node -> new Silence(key, epoch.incrementAndGet(), nanoTime.getAsLong()));
    }

    private void report(String key, Silence silence, RedisFailure failure) {
        if (silence.phase.compareAndSet(Phase.SUSPECTED, Phase.REPORTED) && !isReportedOtherwise) {
            String name = nodeOf(key);
            receiver.accept(new StoreEvent.Unreachable(store(name), scope(name), failure.problem()));
        }
    }

    /** Not what this client brought about itself, nor a refusal to log in. */
    private static boolean isSilence(Throwable failure) {
        Throwable root = ExceptionCauses.rootOf(failure);
        boolean isClosed =
                root instanceof RedisException && ExceptionCauses.CONNECTION_CLOSED.equals(root.getMessage());
        boolean isOwn = isClosed || root instanceof CancellationException || root instanceof Error;
        return !isOwn && !(root instanceof RedisCommandExecutionException);
    }

    private String nodeOf(String key) {
        return nodeOf.apply(key).orElse("");
    }

    private String store(String node) {
        return "Redis at " + (node.isEmpty() ? target : node);
    }

    private static Scope scope(String node) {
        return node.isEmpty() ? Scope.ALL : Scope.PART;
    }

    private enum Phase {
        SUSPECTED,
        REPORTED,
        OVER
    }

    private static final class Silence {

        private final String key;
        private final int epoch;
        private final long since;
        private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.SUSPECTED);

        Silence(String key, int epoch, long since) {
            this.key = key;
            this.epoch = epoch;
            this.since = since;
        }
    }
}
