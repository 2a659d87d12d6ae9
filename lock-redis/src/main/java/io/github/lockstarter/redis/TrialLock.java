package io.github.lockstarter.redis;

import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.redis.ScriptRunner.Reader;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.settings.RedisSettings.HistoryGuard;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.FailedResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A lock under a key prefix of its own, with the key layout, fencing counter and history of any other. Two instances
 * use it, so that the server executes the shipped scripts as it will for callers, and the runner finds out who may
 * publish signals: the one of the first release is published, if at all, in front of the next command.
 */
final class TrialLock {

    /** Longer than the check on a slow machine; then the keys expire, if this JVM ends meanwhile. */
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final LockToken owner = newToken();
    private final LockToken waiter = newToken();
    private final LockKeys keys;
    private final ServerHistory history;
    private final ScriptRunner runner;
    private final AcquireScript acquireScript;
    private final RenewScript renewScript;
    private final RedisExceptionTranslator failures;

    TrialLock(
            KeySpace locks,
            RedisConnections connections,
            RedisConnector connector,
            ScriptRunner runner,
            RedisExceptionTranslator failures) {
        KeySpace keySpace = locks.ofTrial(owner.instance());
        this.keys = keySpace.keysOf(name());
        // Without a grace period, a server that was just promoted grants the lock too.
        ClientHistories histories =
                new ClientHistories(keySpace, connector, HistoryGuard.of(Duration.ZERO), connections::nodeOf);
        this.history = histories.of(keys.lock());
        this.runner = runner;
        this.acquireScript = new AcquireScript(runner, keySpace, histories, failures, (unacknowledged, key) -> {});
        this.renewScript = new RenewScript(runner, keySpace, histories, failures);
        this.failures = failures;
    }

    private static LockToken newToken() {
        return new LockToken(UUID.randomUUID().toString().replace("-", ""), 1);
    }

    LockKeys keys() {
        return keys;
    }

    /**
     * Sends each command after the answer to the one before, which no other can overtake when the server has forgotten
     * its script. The second time, the server knows the scripts and the client knows the history, so they take other
     * paths.
     *
     * @return the first failure
     */
    CompletionStage<Optional<RedisFailure>> send() {
        Optional<Waiting> waiting = Optional.of(new Waiting(Waiting.NEW, LEASE));
        List<Supplier<CompletionStage<Optional<RedisFailure>>>> commands = List.of(
                () -> acquire(owner, AcquireResult.Granted.class, Optional.empty(), 1),
                () -> acquire(waiter, AcquireResult.Contended.class, waiting, 1),
                () -> renew(owner),
                () -> release(owner),
                () -> acquire(waiter, AcquireResult.Granted.class, Optional.empty(), 2),
                () -> release(waiter));
        CompletionStage<Optional<RedisFailure>> sent = CompletableFuture.completedFuture(Optional.empty());
        for (Supplier<CompletionStage<Optional<RedisFailure>>> command : commands) {
            sent = sent.thenCompose(
                    failure -> failure.isPresent() ? CompletableFuture.completedFuture(failure) : command.get());
        }
        return sent;
    }

    private CompletionStage<Optional<RedisFailure>> acquire(
            LockToken token, Class<? extends AcquireResult> expected, Optional<Waiting> waiting, int permits) {
        AcquireCommand command =
                new AcquireCommand(name(), token, LEASE, 0, 1, waiting, Duration.ZERO, permits, Optional.empty());
        return acquireScript.send(List.of(command)).thenApply(results -> failure(results.get(0), expected));
    }

    /** After a {@code SCRIPT FLUSH} a renewal is deferred. */
    private CompletionStage<Optional<RedisFailure>> renew(LockToken token) {
        RenewCommand command = new RenewCommand(name(), token, LEASE, 0, 0);
        return renewScript
                .send(List.of(command))
                .thenApply(results -> results.get(0) instanceof RenewResult.Deferred
                        ? Optional.empty()
                        : failure(results.get(0), RenewResult.Renewed.class));
    }

    private CompletionStage<Optional<RedisFailure>> release(LockToken token) {
        String[] both = {keys.lock(), keys.waiters()};
        return ReleaseScript.run(runner, new ScriptCall(LockScript.RELEASE, both, token.value()), new ReleaseReader());
    }

    private String name() {
        return owner.instance();
    }

    private Optional<RedisFailure> failure(Object result, Class<?> expected) {
        if (expected.isInstance(result)) {
            return Optional.empty();
        }
        return Optional.of(
                result instanceof FailedResult failed
                        ? failures.ofExecuting(failed.cause())
                        : failures.ofReply(
                                new IllegalStateException("Not " + expected.getSimpleName() + ": " + result)));
    }

    /** Keys without a lease expire too, in case this JVM ends before {@link #remove}. */
    void limit(RedisClusterAsyncCommands<String, String> redis) {
        Stream.of(keys.fence(), history.key()).forEach(key -> redis.pexpire(key, LEASE.toMillis()));
    }

    /** Never fails. After the last answer. Key by key: without a cluster, they share no slot. */
    CompletableFuture<?> remove(RedisClusterAsyncCommands<String, String> redis) {
        return CompletableFuture.allOf(
                        Stream.of(keys.lock(), keys.waiters(), keys.fence(), history.key(), history.checkedKey())
                                .map(key -> redis.del(key).toCompletableFuture())
                                .toArray(CompletableFuture[]::new))
                .handle((done, failure) -> failure == null);
    }

    private static final class ReleaseReader implements Reader<Optional<RedisFailure>> {

        @Override
        public Optional<RedisFailure> of(List<Object> reply, boolean repeated) {
            return Optional.empty();
        }

        @Override
        public Optional<RedisFailure> failed(RedisFailure failure) {
            return Optional.of(failure);
        }
    }
}
