package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import io.github.lockstarter.benchmarks.server.Addresses;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One instance of each client; all of them wait for the same key. Used by one thread. */
final class Waiters implements AutoCloseable {

    /** Enough until all threads wait, since some clients subscribe first. */
    private static final Duration SETTLING = Duration.ofSeconds(1);

    private final Map<ClientKind, LockClient> clients = new EnumMap<>(ClientKind.class);
    private final Map<ClientKind, Future<Long>> grants = new EnumMap<>(ClientKind.class);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    Waiters(Addresses addresses, List<ClientKind> kinds, Duration lease) {
        kinds.forEach(kind -> clients.put(kind, kind.open(addresses, lease)));
    }

    static void settle() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
    }

    /** Starts to wait; each waiter releases the lock at once. */
    void begin(String key, Duration wait) {
        clients.forEach((kind, client) -> grants.put(kind, threads.submit(() -> acquire(client, key, wait))));
    }

    private static long acquire(LockClient client, String key, Duration wait) throws InterruptedException {
        Hold hold = client.acquire(key, wait);
        long now = System.nanoTime();
        hold.release();
        return now;
    }

    boolean isGranted(ClientKind kind) {
        return grant(kind).isDone();
    }

    /** When the lock was granted, by {@link System#nanoTime()}. */
    long awaitGrant(ClientKind kind) throws InterruptedException {
        try {
            return grant(kind).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("The waiter of " + kind.id() + " failed", e.getCause());
        }
    }

    private Future<Long> grant(ClientKind kind) {
        return Objects.requireNonNull(grants.get(kind), kind::id);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        clients.values().forEach(LockClient::close);
    }
}
