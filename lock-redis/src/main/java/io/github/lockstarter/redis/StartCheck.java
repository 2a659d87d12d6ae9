package io.github.lockstarter.redis;

import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.connector.Replication;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Sends each command of the scripts, then acquires, renews and releases a {@link TrialLock}, so that a missing right or
 * an unsuitable server shows at startup. 14 round trips. The commands alone come first: an error inside a script
 * names no command before Redis 8.
 */
final class StartCheck {

    private static final String KEY = "lock-starter:start-check";

    private static final long MILLIS = 5_000;

    private final RedisConnections connections;
    private final RedisConnector connector;
    private final KeySpace keySpace;
    private final ClientHistories histories;
    private final ScriptRunner runner;
    private final RedisExceptionTranslator failures;

    public StartCheck(
            RedisConnections connections,
            RedisConnector connector,
            KeySpace keySpace,
            ClientHistories histories,
            ScriptRunner runner,
            RedisExceptionTranslator failures) {
        this.connections = connections;
        this.connector = connector;
        this.keySpace = keySpace;
        this.histories = histories;
        this.runner = runner;
        this.failures = failures;
    }

    /** A missing history id does not prevent the start, nor do signals that the server refuses. */
    public void run() {
        TrialLock trial = new TrialLock(keySpace, connections, connector, runner, failures);
        CompletableFuture<RedisLink> opened = new CompletableFuture<>();
        connections.link(trial.keys().lock(), opened);
        RedisLink link = answer(opened, failures::ofConnecting);
        RedisClusterAsyncCommands<String, String> redis = link.async();
        LockKeys real = keySpace.keysOf(KEY);
        AsyncCommand<String, String, List<Object>> look =
                AdminScripts.inspect(real, 0, histories.of(real.lock())).byText();
        List<CompletionStage<?>> commands = sent(redis, trial.keys(), keySpace.mailboxOf(KEY));
        CompletionStage<String> info = ServerState.text(redis.info());
        link.commands().dispatch(look);
        commands.forEach(command -> answer(command, failures::ofExecuting));
        String told = answer(info, failures::ofExecuting);
        answer(look, failures::ofExecuting);
        histories.found(Optional.of(Replication.of(told).history()).filter(name -> !name.isEmpty()));
        runner.resetSignals();
        run(trial, redis);
    }

    private void run(TrialLock trial, RedisClusterAsyncCommands<String, String> redis) {
        try {
            succeed(trial.send());
            trial.limit(redis);
            succeed(trial.send());
        } finally {
            BlockingWait.awaitUninterruptibly(trial.remove(redis));
        }
    }

    private void succeed(CompletionStage<Optional<RedisFailure>> sent) {
        answer(sent, failures::ofExecuting).ifPresent(failure -> {
            throw unavailable(failure);
        });
    }

    /** The commands of the scripts. Their keys expire, if the user may not delete them. */
    static List<CompletionStage<?>> sent(
            RedisClusterAsyncCommands<String, String> redis, LockKeys keys, String channel) {
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
                redis.hset(text, KEY, ""),
                redis.pexpire(text, MILLIS),
                redis.hmget(text, KEY),
                redis.hgetall(text),
                redis.hdel(text, KEY),
                redis.zadd(queue, 1, KEY),
                redis.pexpire(queue, MILLIS),
                redis.zscore(queue, KEY),
                redis.zcard(queue),
                redis.zrem(queue, KEY),
                redis.zpopmin(queue),
                redis.zrangebyscore(queue, Range.unbounded(), Limit.from(1)),
                redis.publish(channel, ""));
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
