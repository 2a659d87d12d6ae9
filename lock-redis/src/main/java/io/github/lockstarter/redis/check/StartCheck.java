package io.github.lockstarter.redis.check;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.connector.Replication;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.ClientHistories;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.script.AdminScripts;
import io.github.lockstarter.redis.script.ScriptCall;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Sends each command of the scripts on keys of its own, which expire, and runs a script by its text and by its SHA-1,
 * so that a missing right or an unsuitable server shows at startup. A refused command is named in the error; inside a
 * script it is not before Redis 8.
 */
public final class StartCheck {

    private static final String KEY = "lock-starter:start-check:";

    private static final long MILLIS = 5_000;

    private final RedisConnections connections;
    private final KeySpace keySpace;
    private final ClientHistories histories;
    private final RedisExceptionTranslator failures;

    public StartCheck(
            RedisConnections connections,
            KeySpace keySpace,
            ClientHistories histories,
            RedisExceptionTranslator failures) {
        this.connections = connections;
        this.keySpace = keySpace;
        this.histories = histories;
        this.failures = failures;
    }

    /** A missing history id does not prevent the start. */
    public void run() {
        LockKeys keys = keySpace.keysOf(KEY + UUID.randomUUID());
        CompletableFuture<RedisLink> opened = new CompletableFuture<>();
        connections.link(keys.lock(), opened);
        StatefulConnection<String, String> connection =
                answer(opened, failures::ofConnecting).commands();
        RedisClusterAsyncCommands<String, String> redis =
                connection instanceof StatefulRedisClusterConnection<String, String> cluster
                        ? cluster.async()
                        : ((StatefulRedisConnection<String, String>) connection).async();
        sent(redis, keys).forEach(command -> answer(command, failures::ofExecuting));
        histories.found(answer(historyName(redis), failures::ofExecuting));
        ScriptCall script = AdminScripts.inspect(keys, 0, histories.of(keys.lock()));
        for (AsyncCommand<String, String, List<Object>> run : List.of(script.byText(), script.bySha())) {
            connection.dispatch(run);
            answer(run, failures::ofExecuting);
        }
    }

    private List<CompletionStage<?>> sent(RedisClusterAsyncCommands<String, String> redis, LockKeys keys) {
        String text = keys.lock();
        String queue = keys.waiters();
        return List.of(
                redis.time(),
                redis.set(text, "0", SetArgs.Builder.nx().px(MILLIS)),
                redis.set(text, "1", SetArgs.Builder.keepttl()), // needs Redis 6
                redis.get(text),
                redis.mget(text),
                redis.incrby(text, 1),
                redis.pttl(text),
                redis.exists(text),
                redis.del(text),
                redis.zadd(queue, 1, KEY),
                redis.pexpire(queue, MILLIS),
                redis.zscore(queue, KEY),
                redis.zcard(queue),
                redis.zrem(queue, KEY),
                redis.zpopmin(queue),
                redis.zrangebyscore(queue, Range.unbounded(), Limit.from(1)),
                redis.publish(keySpace.mailboxOf(KEY), ""));
    }

    private static CompletionStage<Optional<String>> historyName(RedisClusterAsyncCommands<String, String> redis) {
        return redis.info("replication").handle((info, failure) -> {
            if (failure != null && !(failure instanceof RedisCommandExecutionException)) {
                throw new CompletionException(failure);
            }
            return Optional.ofNullable(info)
                    .map(text -> Replication.of(text).history())
                    .filter(name -> !name.isEmpty());
        });
    }

    private static <T> T answer(CompletionStage<T> asked, Function<Throwable, RedisFailure> meaning) {
        try {
            return BlockingWait.awaitUninterruptibly(asked.toCompletableFuture());
        } catch (CompletionException | CancellationException e) {
            throw unavailable(meaning.apply(ExceptionCauses.rootOf(e)));
        }
    }

    public static RedisUnavailableException unavailable(RedisFailure failure) {
        return new RedisUnavailableException(failure.problem(), failure.remedy(), failure.cause());
    }
}
