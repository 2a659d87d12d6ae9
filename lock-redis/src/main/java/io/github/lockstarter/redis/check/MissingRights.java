package io.github.lockstarter.redis.check;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.failure.RequiredRights;
import io.github.lockstarter.redis.failure.ServerError;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Finds out which rights the user of the lock lacks, on connections of its own: tries each command once, on a key that
 * does not exist and in a form that does not write, and a channel without listeners. A server says what it
 * refuses only to a user that tries, and inside scripts not even that before Redis 8.
 */
public final class MissingRights {

    private static final String UNKNOWN_USER = "<user>";

    private final RedisConnector connector;
    private final RequiredRights rights;

    public MissingRights(RedisConnector connector, RedisSettings settings) {
        this.connector = connector;
        this.rights = new RequiredRights(settings);
    }

    /**
     * The remedy of a refusal, with all that is missing. Blocks, for about the command timeout at most.
     *
     * @param key of a lock that is never taken
     * @param channel without listeners
     * @return empty where nothing is missing, or nothing can be tried
     */
    Optional<String> remedy(String key, String channel) {
        try (StatefulConnection<String, String> commands = connector.connect();
                StatefulRedisPubSubConnection<String, String> signals = connector.connectPubSub()) {
            CompletableFuture<String> user = userOf(commands);
            List<CompletableFuture<Optional<ServerError>>> refusals = new ArrayList<>();
            for (List<String> words : trials(key, channel)) {
                refusals.add(refusalOf(send(commands, words)));
            }
            refusals.add(refusalOf(signals.async().subscribe(channel)));
            refusals.add(refusalOf(signals.async().unsubscribe(channel)));
            TreeSet<String> missing = new TreeSet<>(MissingRights::patternsFirst);
            for (CompletableFuture<Optional<ServerError>> refusal : refusals) {
                BlockingWait.awaitUninterruptibly(refusal)
                        .map(rights::missing)
                        .filter(right -> !right.isEmpty())
                        .ifPresent(missing::add);
            }
            return missing.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            RequiredRights.granting(BlockingWait.awaitUninterruptibly(user), List.copyOf(missing)));
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /** What locks do, without effect. The key is the second word; the third one where the second is a script. */
    private List<List<String>> trials(String key, String channel) {
        List<List<String>> trials = new ArrayList<>(List.of(
                List.of("PING"),
                List.of("EVALSHA", "0".repeat(40), "0"),
                List.of("EVAL", "return 1", "0"),
                List.of("GET", key),
                List.of("MGET", key),
                List.of("EXISTS", key),
                List.of("SET", key, "1", "XX", "PX", "1"),
                List.of("INCRBY", key, "nothing"),
                List.of("DEL", key),
                List.of("PEXPIRE", key, "1"),
                List.of("PTTL", key),
                List.of("TIME"),
                List.of("ZADD", key, "XX", "0", "1"),
                List.of("ZREM", key, "1"),
                List.of("ZSCORE", key, "1"),
                List.of("ZCARD", key),
                List.of("ZPOPMIN", key),
                List.of("PUBLISH", channel, ""),
                List.of("INFO", "replication"),
                List.of("PUBSUB", "NUMSUB", channel)));
        if (connector.hasReplicas()) {
            trials.add(List.of("WAIT", "0", "1"));
        }
        return trials;
    }

    private static int patternsFirst(String one, String other) {
        boolean command = one.startsWith("+");
        return command == other.startsWith("+") ? one.compareTo(other) : command ? 1 : -1;
    }

    /** The user that is logged in, if it may know. */
    private static CompletableFuture<String> userOf(StatefulConnection<String, String> connection) {
        return send(connection, List.of("ACL", "WHOAMI"))
                .handle((answer, failure) ->
                        failure != null || answer.isEmpty() ? UNKNOWN_USER : String.valueOf(answer.get(0)))
                .toCompletableFuture();
    }

    private static CompletableFuture<Optional<ServerError>> refusalOf(CompletionStage<?> answer) {
        return answer.handle((any, failure) -> failure instanceof RedisCommandExecutionException refusal
                        ? Optional.of(ServerError.of(refusal)).filter(ServerError::isMissingRight)
                        : Optional.<ServerError>empty())
                .toCompletableFuture();
    }

    private static CompletionStage<List<Object>> send(
            StatefulConnection<String, String> connection, List<String> words) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        boolean keyed = words.size() > 1 && words.get(1).contains("{");
        for (int i = 1; i < words.size(); i++) {
            if (i == 1 && keyed) {
                arguments.addKey(words.get(i));
            } else {
                arguments.add(words.get(i));
            }
        }
        AsyncCommand<String, String, List<Object>> command = new AsyncCommand<>(
                new Command<>(CommandType.valueOf(words.get(0)), new NestedMultiOutput<>(StringCodec.UTF8), arguments));
        connection.dispatch(command);
        return command;
    }
}
