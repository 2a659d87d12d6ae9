package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.HeartbeatChannels.Channel;
import io.github.lockstarter.redis.failure.ServerError;
import io.github.lockstarter.spi.CrashDetection;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks Redis whether it hears this instance: with a PUBSUB NUMSUB, where scripts are sent, of the channel that only the
 * present connection of the mailbox has subscribed. So a positive answer is that of the server that grants locks, and
 * about that very connection. After a failover the two connections may lead to different servers for a while.
 *
 * <p>The number that is answered stands for both connections: another one, or a break, of either gives a new number.
 *
 * <p>Opens no connection before the first command does, and answers nothing until then; opens it again after it broke.
 * Asked by one thread at a time, which alone sets {@code wasOpen}; {@code lock} guards {@code last}, and {@code
 * routes}, how many numbers there were.
 */
public final class MailboxCheck implements CrashDetection {

    private static final CompletionStage<OptionalLong> UNHEARD =
            CompletableFuture.completedFuture(OptionalLong.empty());
    private static final String LISTENERS = "NUMSUB";

    private final RedisConnections connections;
    private final String key;
    private final Duration commandTimeout;
    private final BooleanSupplier isUsable;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Route last;
    private long routes;
    private volatile boolean wasOpen;

    /** The connection on which the server refused the question. */
    private volatile @Nullable Channel refused;

    /** The last answer, if it said that the user lacks the right to ask. */
    private volatile @Nullable ServerError refusal;

    /**
     * The connections on which a question is asked.
     *
     * @param heartbeat that of the mailbox
     * @param link where commands go
     * @param breaks how often that one broke
     */
    private record Route(Channel heartbeat, RedisLink link, int breaks) {}

    /**
     * Asks nothing yet.
     *
     * @param connections where to ask
     * @param key any key of the server
     * @param commandTimeout how long a command on the connections waits for its answer
     * @param isUsable whether the server says when it may have forgotten locks; false as long as that is not known
     */
    public MailboxCheck(RedisConnections connections, String key, Duration commandTimeout, BooleanSupplier isUsable) {
        this.connections = connections;
        this.key = key;
        this.commandTimeout = commandTimeout;
        this.isUsable = isUsable;
    }

    /** Why the server does not tell this user whether it hears an instance; empty as far as it does. */
    public Optional<ServerError> refusal() {
        return Optional.ofNullable(refusal);
    }

    /** Asks once, so that a {@link #refusal} is known, or forgotten. Never fails. */
    public CompletableFuture<?> learn() {
        RedisLink link = connections.current(key);
        return link == null
                ? CompletableFuture.completedFuture(null)
                : listeners(link, key)
                        .handle((count, failure) -> Optional.ofNullable(count))
                        .toCompletableFuture();
    }

    @Override
    public CompletionStage<OptionalLong> beat() {
        RedisLink link = connections.current(key);
        wasOpen |= link != null;
        if (!wasOpen) {
            return new CompletableFuture<>();
        }
        if (!isUsable.getAsBoolean()) {
            return UNHEARD;
        }
        if (link != null) {
            return link.isConnected() ? ask(link) : UNHEARD;
        }
        FutureLink opened = new FutureLink();
        connections.whenOpen(key, opened);
        return opened.thenCompose(this::ask).exceptionally(failure -> OptionalLong.empty());
    }

    @Override
    public Duration commandTimeout() {
        return commandTimeout;
    }

    private CompletionStage<OptionalLong> ask(RedisLink link) {
        MailboxSubscription subscription = connections.subscription();
        Channel heartbeat = subscription == null ? null : subscription.heartbeat();
        if (subscription != null && heartbeat == null) {
            connections.resubscribe(subscription); // commands go through: perhaps another connection for signals does
        }
        if (subscription == null || heartbeat == null || isRefused(heartbeat)) {
            return UNHEARD;
        }
        Route route = new Route(heartbeat, link, link.breaks());
        long number = numberOf(route);
        try {
            return listeners(link, heartbeat.name()).handle((count, failure) -> {
                if (failure != null) {
                    refused = refusal == null ? null : heartbeat;
                    return OptionalLong.empty();
                }
                boolean isSame = heartbeat.equals(subscription.heartbeat()) && link.breaks() == route.breaks;
                if (isSame && count == 0) {
                    // The server has closed a connection that the client takes for open, or is another one.
                    connections.resubscribe(subscription);
                }
                return isSame && count > 0 ? OptionalLong.of(number) : OptionalLong.empty();
            });
        } catch (RuntimeException e) {
            return UNHEARD; // the client is being closed
        }
    }

    /** A user that lacks the right is not asked for it again on this connection, but {@link #learn} may. */
    private boolean isRefused(Channel heartbeat) {
        return heartbeat.equals(refused) && refusal != null;
    }

    private long numberOf(Route now) {
        lock.lock();
        try {
            if (!now.equals(last)) {
                last = now;
                routes++;
            }
            return routes;
        } finally {
            lock.unlock();
        }
    }

    private CompletionStage<Long> listeners(RedisLink link, String channel) {
        CommandArgs<String, String> arguments =
                new CommandArgs<>(StringCodec.UTF8).add(LISTENERS).add(channel);
        AsyncCommand<String, String, List<Object>> command = new AsyncCommand<>(
                new Command<>(CommandType.PUBSUB, new NestedMultiOutput<>(StringCodec.UTF8), arguments));
        link.commands().dispatch(command);
        return command.whenComplete((any, failure) -> refusal = refusalIn(failure))
                .thenApply(reply -> reply.size() == 2 && reply.get(1) instanceof Long count ? count : 0L);
    }

    private static @Nullable ServerError refusalIn(@Nullable Throwable failure) {
        return failure != null
                        && ExceptionCauses.rootOf(failure) instanceof RedisCommandExecutionException error
                        && ServerError.of(error).isMissingRight()
                ? ServerError.of(error)
                : null;
    }
}
