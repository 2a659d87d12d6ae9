package io.github.lockstarter.redis;

import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.WithdrawCommand;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Takes a lock that nobody else knows through its whole life, so that a missing right or an unfit server shows when the
 * application starts. What it leaves behind ends by itself.
 */
final class StartCheck {

    private static final Duration LEASE = Duration.ofSeconds(5);

    private final ScriptRunner runner;
    private final KeySpace keySpace;
    private final LockCalls calls;
    private final FailureReader failures;

    StartCheck(ScriptRunner runner, KeySpace keySpace, LockCalls calls, FailureReader failures) {
        this.runner = runner;
        this.calls = calls;
        this.keySpace = keySpace;
        this.failures = failures;
    }

    /**
     * Runs every script, on all its ways.
     *
     * @throws RedisUnavailableException when one fails
     */
    void run() {
        String id = newInstanceId();
        String key = "lock-starter:start-check:" + id;
        LockKeys keys = keySpace.keysOf(key);
        LockToken owner = new LockToken(id, 1);
        LockToken waiter = new LockToken(newInstanceId(), 1);
        Optional<Waiting> waiting = Optional.of(new Waiting(Waiting.NEW, LEASE));
        ask(calls.acquire(new AcquireCommand(key, owner, LEASE, 0, 1, waiting), keys));
        ask(calls.acquire(new AcquireCommand(key, waiter, LEASE, 0, 1, waiting), keys));
        // A grant looks for its own instance in the queue only if somebody is in it, and if it was told a position.
        Optional<Waiting> told = Optional.of(new Waiting(1, LEASE));
        long fencingToken = ask(calls.acquire(new AcquireCommand(key, owner, LEASE, 0, 1, told), keys))
                .value();
        checkRenewal(calls.renew(List.of(new RenewCommand(key, owner, LEASE.multipliedBy(2), fencingToken))));
        long released = ask(calls.release(new ReleaseCommand(key, owner, fencingToken, Optional.of(LEASE))));
        ask(calls.withdraw(new WithdrawCommand(key, waiter)));
        // Only a further grant keeps the expiry of the counter, which a server before version 6 cannot.
        LockToken again = new LockToken(id, 2);
        long last = ask(calls.acquire(new AcquireCommand(key, again, LEASE, 0, 1, waiting), keys))
                .value();
        ask(calls.release(new ReleaseCommand(key, again, last)));
        ask(calls.forget(keys, last));
        if (released == LockCalls.UNSIGNALLED) {
            throw unavailable(failures.ofSilence());
        }
    }

    /** Of a missing right, this script tells in its reply. */
    private void checkRenewal(ScriptCall<String> call) {
        String problem = RenewReply.of(ask(call), 1).problem();
        if (!problem.isEmpty()) {
            throw unavailable(failures.ofError(problem));
        }
    }

    private static String newInstanceId() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    private <T> T ask(ScriptCall<T> call) {
        return runner.run(call, new Heard<T>()).toCompletableFuture().join().get();
    }

    private static RedisUnavailableException unavailable(RedisFailure failure) {
        return new RedisUnavailableException(failure.problem(), failure.remedy(), failure.cause());
    }

    /** Gives the reply, or throws the failure, to whoever asks. */
    private static final class Heard<T> implements Answer<T, Supplier<T>> {

        @Override
        public Supplier<T> of(T reply) {
            return () -> reply;
        }

        @Override
        public Supplier<T> failed(RedisFailure failure) {
            return () -> {
                throw unavailable(failure);
            };
        }
    }
}
