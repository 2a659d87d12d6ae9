package io.github.lockstarter.redis;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.Replication;
import io.github.lockstarter.redis.failure.ServerError;
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
 * Requires every replica that may become the master to acknowledge the trace of a takeover before the lock is granted
 * (docs/design.md). While such a replica is unreachable, locks that wait for it stay untouched.
 * <p>{@code WAIT} blocks its connection and covers only writes of that connection, so a separate connection rewrites
 * the trace unchanged. A {@code WAIT} that Lettuce resends on a new connection covers nothing: its answer counts only
 * if the connection did not break after the write. It counts replicas without naming them, so each server that may be
 * promoted is queried too.
 * <p>Any thread calls {@link #begin}; the rest runs on event loops. {@code underWay} contains the instances with a
 * pending acknowledgement.
 */
final class TakeoverAcknowledgement implements AutoCloseable {

    private static final CompletionStage<Boolean> NO = CompletableFuture.completedFuture(false);

    /** Much longer than a beat period: an instance with waiting callers retries with each beat. */
    private static final Duration STALE = Duration.ofMinutes(1);

    private final RedisConnections connections;
    private final RedisConnector connector;
    private final String takeovers;
    private final Duration patience;
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private volatile Consumer<String> onAcknowledged = key -> {};

    /** Time of the last failure; empty if the last acknowledgement did not fail. */
    private volatile Optional<Long> missingAt = Optional.empty();

    /** The last error if the user may not wait for replicas. */
    private volatile Optional<ServerError> refusal = Optional.empty();

    /**
     * @param takeovers key of the traces
     * @param settings half of the command timeout is left to the replicas
     */
    public TakeoverAcknowledgement(RedisConnector connector, String takeovers, RedisSettings settings) {
        this.connections = new RedisConnections(connector, settings);
        this.connector = connector;
        this.takeovers = takeovers;
        this.patience = settings.commandTimeout().dividedBy(2);
    }

    /** Sets the receiver of keys whose takeover was acknowledged: their waiters retry. */
    public void report(Consumer<String> acknowledged) {
        onAcknowledged = acknowledged;
    }

    Optional<ServerError> refusal() {
        return refusal;
    }

    boolean isUnacknowledged() {
        return missingAt
                .filter(at -> connector.nanoTime() - at < STALE.toNanos())
                .isPresent();
    }

    public void start() {
        connections.start();
    }

    public void stop() {
        connections.stop();
    }

    @Override
    public void close() {
        connections.close();
    }

    /**
     * Starts the acknowledgement unless one is pending. Returns at once; the next check of the owner retries a failure.
     *
     * @param unacknowledged instance id, a space, and the begin of its mark
     */
    public void begin(String unacknowledged, String key) {
        int space = unacknowledged.indexOf(' ');
        String instanceId = unacknowledged.substring(0, space);
        TakeoverTrace trace = new TakeoverTrace(instanceId, unacknowledged.substring(space + 1));
        if (!underWay.add(instanceId)) {
            return;
        }
        CompletableFuture<RedisLink> opened = new CompletableFuture<>();
        connections.link(takeovers, opened);
        opened.thenCompose(link -> acknowledge(link, trace)).whenComplete((isAcknowledged, failure) -> {
            underWay.remove(instanceId);
            refusal = refusalIn(failure);
            missingAt = failure == null ? Optional.empty() : Optional.of(connector.nanoTime());
            if (failure == null && isAcknowledged) {
                onAcknowledged.accept(key);
            }
        });
    }

    private record TakeoverTrace(String instanceId, String begin) {}

    /** Fails if a server lacks the trace; false if the owner is back or another mark has begun. */
    private CompletionStage<Boolean> acknowledge(RedisLink link, TakeoverTrace trace) {
        int breaksBefore = link.breaksCounted();
        return write(link, trace, "")
                .thenCompose(isSame -> isSame
                        ? haveAll(link)
                                .thenCompose(all -> all && link.breaks() == breaksBefore
                                        ? write(link, trace, "+")
                                        : CompletableFuture.failedFuture(
                                                new RedisException("a replica lacks the trace")))
                        : NO);
    }

    private CompletionStage<Boolean> haveAll(RedisLink link) {
        return link.ask(CommandType.INFO, new StatusOutput<>(StringCodec.UTF8), "replication")
                .thenApply(Replication::of)
                .thenCompose(written -> awaitConnected(link, written.replicas())
                        .thenCompose(all -> all ? connector.haveAll(written) : NO));
    }

    /** The token requires replicas; if none is connected, they are unreachable. */
    private CompletionStage<Boolean> awaitConnected(RedisLink link, int replicas) {
        String millis = Long.toString(Math.max(1, patience.toMillis()));
        return replicas == 0
                ? NO
                : link.ask(CommandType.WAIT, new IntegerOutput<>(StringCodec.UTF8), Integer.toString(replicas), millis)
                        .thenApply(count -> count >= replicas);
    }

    private CompletionStage<Boolean> write(RedisLink link, TakeoverTrace trace, String sign) {
        return link.ask(
                        CommandType.EVAL,
                        new IntegerOutput<>(StringCodec.UTF8),
                        LockScript.ACKNOWLEDGE.text(),
                        "1",
                        takeovers,
                        trace.instanceId,
                        trace.begin,
                        sign)
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
