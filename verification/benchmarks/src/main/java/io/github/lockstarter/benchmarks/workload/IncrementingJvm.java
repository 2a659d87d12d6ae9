package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.jvm.ChildTask;
import io.github.lockstarter.benchmarks.measure.LoadGenerator;
import io.github.lockstarter.benchmarks.measure.LoadResult;
import io.github.lockstarter.benchmarks.server.Addresses;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A JVM whose threads increment a counter in Redis under a lock, or only read it, and report how many did. */
public final class IncrementingJvm implements ChildTask {

    static final String OPEN = "open";
    static final String RUN = "run";
    static final String COUNTER = "counter";

    private static final String KEY = "three-jvms";
    private static final int PERCENT = 100;

    private final Map<ClientKind, LockClient> clients = new EnumMap<>(ClientKind.class);
    private @Nullable RedisCommands<String, String> store;

    public IncrementingJvm() {}

    @Override
    public String answer(String... words) throws Exception {
        if (words[0].equals(OPEN)) {
            open(Addresses.parse(words[1]), words[2].split(",", -1));
            return "open";
        }
        LockClient client = Objects.requireNonNull(clients.get(ClientKind.of(words[1])));
        RedisCommands<String, String> counters = Objects.requireNonNull(store);
        int reads = Integer.parseInt(words[5]);
        AtomicLong increments = new AtomicLong();
        Runnable write = () -> {
            increment(counters);
            increments.incrementAndGet();
        };
        LoadResult result = LoadGenerator.runFrom(
                Long.parseLong(words[3]),
                Integer.parseInt(words[2]),
                Duration.ofNanos(Long.parseLong(words[4])),
                thread -> reads == 0 ? Bench.runLocked(client, KEY, write) : readOrWrite(client, reads, write));
        return result.format() + " " + increments;
    }

    private static long readOrWrite(LockClient client, int reads, Runnable write) throws InterruptedException {
        boolean reading = ThreadLocalRandom.current().nextInt(PERCENT) < reads;
        LockMode mode = reading ? LockMode.READ : LockMode.WRITE;
        return Bench.runLocked(() -> client.acquire(KEY, mode, Bench.MAX_WAIT), reading ? () -> {} : write);
    }

    private void open(Addresses addresses, String... ids) {
        store = RedisClient.create(addresses.redis()).connect().sync();
        Arrays.stream(ids).map(ClientKind::of).forEach(kind -> clients.put(kind, kind.open(addresses)));
    }

    private static void increment(RedisCommands<String, String> counters) {
        counters.set(COUNTER, Long.toString(Long.parseLong(counters.get(COUNTER)) + 1));
    }
}
