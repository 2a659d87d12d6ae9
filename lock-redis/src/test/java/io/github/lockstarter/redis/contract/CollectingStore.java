package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A store under load: each attempt and each release finds calls of other locks under way, so that it is collected, and
 * travels with others.
 */
public record CollectingStore(LockStore store) implements LockStore {

    private static final AtomicLong NUMBER = new AtomicLong();
    private static final String OTHERS = UUID.randomUUID().toString().replace("-", "");

    @Override
    public LockBackend connect() {
        LockBackend backend = store.connect();
        return (LockBackend) Proxy.newProxyInstance(
                LockBackend.class.getClassLoader(), new Class<?>[] {LockBackend.class}, (self, method, arguments) -> {
                    if (arguments != null && arguments[0] instanceof AcquireCommand) {
                        attempt(backend);
                        attempt(backend);
                    } else if (arguments != null && arguments[0] instanceof ReleaseCommand) {
                        release(backend);
                        release(backend);
                    }
                    try {
                        return method.invoke(backend, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    private static void attempt(LockBackend backend) {
        long number = NUMBER.incrementAndGet();
        backend.attemptAcquire(new AcquireCommand(
                "other:" + number, new LockToken(OTHERS, number), Duration.ofMillis(1), 0, 1, Optional.empty()));
    }

    private static void release(LockBackend backend) {
        long number = NUMBER.incrementAndGet();
        backend.releaseToken(new ReleaseCommand("other:" + number, new LockToken(OTHERS, number), 0));
    }

    @Override
    public boolean answersTheSameAgain() {
        return store.answersTheSameAgain();
    }

    @Override
    public boolean grantsToOneOfMany() {
        return store.grantsToOneOfMany();
    }

    @Override
    public boolean knowsTheLastFencingToken() {
        return store.knowsTheLastFencingToken();
    }

    @Override
    public Optional<Duration> commandTimeout() {
        return store.commandTimeout();
    }

    @Override
    public void pause() {
        store.pause();
    }

    @Override
    public void resume() {
        store.resume();
    }

    @Override
    public void close() {
        store.close();
    }
}
