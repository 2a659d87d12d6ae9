package io.github.lockstarter.redis;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.failure.RequiredRights;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Uses a backend on one key, and waits for its answers. */
public final class BackendUser {

    public static final String KEY = "order:42";
    /** Of a user that has no other rights. */
    public static final String LEAST_RIGHTS = "-@all " + RequiredRights.COMMANDS;

    public static final Duration LEASE = Duration.ofSeconds(60);

    private final LockBackend backend;

    public BackendUser(LockBackend backend) {
        this.backend = backend;
    }

    public static LockToken token(String instance, long sequence) {
        return new LockToken(instance, sequence);
    }

    public AcquireResult acquire(LockToken token) {
        return answer(backend.attemptAcquire(new AcquireCommand(KEY, token, LEASE, 0, 1, Optional.empty())));
    }

    public long granted(LockToken token) {
        AcquireResult result = acquire(token);
        if (result instanceof AcquireResult.Granted granted) {
            return granted.fencingToken();
        }
        throw new AssertionError("Not granted: " + result);
    }

    public AcquireResult waitFor(LockToken token) {
        Optional<Waiting> waiting = Optional.of(new Waiting(Waiting.NEW, LEASE));
        return answer(backend.attemptAcquire(new AcquireCommand(KEY, token, LEASE, 0, 1, waiting)));
    }

    public RenewResult renew(LockToken token, Duration lease) {
        return renew(token, lease, 0);
    }

    public RenewResult renew(LockToken token, Duration lease, long fencingToken) {
        return answer(backend.renewLeases(List.of(new RenewCommand(KEY, token, lease, fencingToken, 0)))
                .get(0));
    }

    public ReleaseResult release(LockToken token, long fencingToken) {
        return answer(backend.releaseToken(new ReleaseCommand(KEY, token, fencingToken)));
    }

    public ReleaseResult withdraw(LockToken token) {
        return answer(backend.releaseToken(ReleaseCommand.endOfWait(KEY, token)));
    }

    public static <T> T answer(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(Patience.SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
