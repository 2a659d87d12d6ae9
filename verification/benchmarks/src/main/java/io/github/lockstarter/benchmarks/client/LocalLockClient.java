package io.github.lockstarter.benchmarks.client;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** One {@link ReentrantLock} per key: the limit within one JVM. */
final class LocalLockClient implements LockClient {

    private final ConcurrentHashMap<String, ReentrantLock> locks = new ConcurrentHashMap<>();
    private final Supplier<ReentrantLock> newLock;

    private LocalLockClient(Supplier<ReentrantLock> newLock) {
        this.newLock = newLock;
    }

    static LocalLockClient withoutOrder() {
        return new LocalLockClient(ReentrantLock::new);
    }

    static LocalLockClient inOrderOfArrival() {
        return new LocalLockClient(() -> new ReentrantLock(true));
    }

    @Override
    public Hold acquire(String key, Duration wait) throws InterruptedException {
        ReentrantLock lock = locks.computeIfAbsent(key, absent -> newLock.get());
        if (!lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("Not acquired within " + wait + ": " + key);
        }
        return lock::unlock;
    }

    @Override
    public void close() {
        locks.clear();
    }
}
