package io.github.lockstarter.redis.takeover;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.failure.ServerError;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.master.Replication;
import io.github.lockstarter.redis.script.LockScript;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has every replica that may become the master acknowledge the trace of a take-over, before a lock is granted by it. So
 * a server that is promoted later knows that locks of the instance were taken over, or no lock is taken over any more.
 * As long as one of these replicas is away, nothing is taken over; a lock whose take-over waits for it is untouched.
 *
 * <p>{@code WAIT} blocks its connection, and counts replicas for what that very connection wrote. So there is a
 * connection for this alone, which writes the trace once more as it is. A {@code WAIT} that the client sends again on a
 * new connection waits for nothing: the answer counts only if the connection did not break since the write. It counts
 * replicas and does not name them, so each server that may be promoted is asked as well.
 *
 * <p>Any thread begins; the rest happens on event loops. {@code underWay} has the instances whose trace is being
 * acknowledged. Nothing blocks.
 */
public final class TakeOverAcknowledgement implements AutoCloseable {

    private static final CompletionStage<Boolean> NO = CompletableFuture.completedFuture(false);

    /** Far more than a beat's period: with each beat, an instance whose callers wait asks again. */
    private static final Duration STALE = Duration.ofMinutes(1);

    private final RedisConnections connections;
    private final RedisConnector connector;
    private final KeySpace keySpace;
    private final Duration patience;
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private volatile Consumer<String> onAcknowledged = key -> {};

    /** When a replica was missing last; empty if the last take-over did not lack any. */
    private volatile Optional<Long> missingAt = Optional.empty();

    /** The last answer, if it said that the user lacks the right to wait for replicas. */
    private volatile Optional<ServerError> refusal = Optional.empty();

    /**
     * Acknowledges nothing yet; connects with the first take-over.
     *
     * @param connector opens a connection for this alone, and knows which servers may become the master
     * @param keySpace what the keys are called
     * @param settings how long a command waits for its answer: replicas get half of that
     */
    public TakeOverAcknowledgement(RedisConnector connector, KeySpace keySpace, RedisSettings settings) {
        this.connections = new RedisConnections(connector, settings);
        this.connector = connector;
        this.keySpace = keySpace;
        this.patience = settings.commandTimeout().dividedBy(2);
    }

    /** Told each key whose take-over is acknowledged: its waiters try again. */
    public void report(Consumer<String> acknowledged) {
        onAcknowledged = acknowledged;
    }

    /** Which right this user lacks; empty as far as it has all of them. */
    Optional<ServerError> refusal() {
        return refusal;
    }

    /** Whether a take-over waits for a replica. */
    boolean isUnacknowledged() {
        return missingAt
                .filter(at -> connector.nanoTime() - at < STALE.toNanos())
                .isPresent();
    }

    /** As {@link RedisConnections#start}. */
    public void start() {
        connections.start();
    }

    /** As {@link RedisConnections#stop}. */
    public void stop() {
        connections.stop();
    }

    @Override
    public void close() {
        connections.close();
    }

    /**
     * Has the trace acknowledged, unless that is under way. Returns at once. What comes to nothing is asked for again
     * by the next look at the owner.
     *
     * @param unacknowledged the instance, a space, and the begin of its mark
     * @param key of a lock that waits for it
     */
    public void begin(String unacknowledged, String key) {
        int space = unacknowledged.indexOf(' ');
        String instanceId = unacknowledged.substring(0, space);
        Trace trace = new Trace(keySpace.traceOf(instanceId), unacknowledged.substring(space + 1));
        if (!underWay.add(instanceId)) {
            return;
        }
        CompletableFuture<RedisLink> opened = new CompletableFuture<>();
        connections.link(trace.key, opened);
        opened.thenCompose(link -> acknowledge(link, trace)).whenComplete((isAcknowledged, failure) -> {
            underWay.remove(instanceId);
            refusal = refusalIn(failure);
            missingAt = failure == null ? Optional.empty() : Optional.of(connector.nanoTime());
            if (failure == null && isAcknowledged) {
                onAcknowledged.accept(key);
            }
        });
    }

    private record Trace(String key, String begin) {}

    /**
     * By those that are connected, named or not, and by those that are named, connected or not. Fails where one of them
     * has not got the trace; false where the owner is back, or another mark has begun.
     */
    private CompletionStage<Boolean> acknowledge(RedisLink link, Trace trace) {
        int breaksBefore = link.breaksCounted();
        return write(link, trace, trace.begin)
                .thenCompose(isSame -> isSame
                        ? haveAll(link)
                                .thenCompose(all -> all && link.breaks() == breaksBefore
                                        ? write(link, trace, trace.begin + '+')
                                        : CompletableFuture.failedFuture(
                                                new RedisException("a replica lacks the trace")))
                        : NO);
    }

    private CompletionStage<Boolean> haveAll(RedisLink link) {
        return link.ask(CommandType.INFO, new StatusOutput<>(StringCodec.UTF8), "replication")
                .thenApply(Replication::of)
                .thenCompose(written -> awaitConnected(link, written.replicas())
                        .thenCompose(all -> all ? connector.haveAll(written.history(), written.offset()) : NO));
    }

    /** A token that asks for replicas has one: if none is connected, it is away. */
    private CompletionStage<Boolean> awaitConnected(RedisLink link, int replicas) {
        String millis = Long.toString(Math.max(1, patience.toMillis()));
        return replicas == 0
                ? NO
                : link.ask(CommandType.WAIT, new IntegerOutput<>(StringCodec.UTF8), Integer.toString(replicas), millis)
                        .thenApply(count -> count >= replicas);
    }

    private static CompletionStage<Boolean> write(RedisLink link, Trace trace, String text) {
        return link.ask(
                        CommandType.EVAL,
                        new IntegerOutput<>(StringCodec.UTF8),
                        LockScript.ACKNOWLEDGE.text(),
                        "1",
                        trace.key,
                        trace.begin,
                        text)
                .thenApply(status -> status == 1);
    }

    private static Optional<ServerError> refusalIn(@Nullable Throwable failure) {
        return failure != null
                        && ExceptionCauses.rootOf(failure) instanceof RedisCommandExecutionException error
                        && ServerError.of(error).isMissingRight()
                ? Optional.of(ServerError.of(error))
                : Optional.empty();
    }
}
