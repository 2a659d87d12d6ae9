package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.Options;
import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.server.Addresses;
import io.github.lockstarter.benchmarks.server.ServerKind;
import io.github.lockstarter.benchmarks.server.ServerObserver;
import io.github.lockstarter.benchmarks.server.Servers;
import io.github.lockstarter.benchmarks.server.StoreServer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Servers, started lazily, and parameters of one run. Records the parameters in use. Used by one thread. */
public final class Bench implements AutoCloseable {

    /** Longest wait for a lock. */
    static final Duration MAX_WAIT = Duration.ofMinutes(1);

    private static final int WARM_UP = 2;
    private static final int MEASURED = 5;
    private static final int SEEDS = 1_000_000;

    private final Options options;
    private final Servers servers = new Servers();
    private final Map<String, String> parameters = new TreeMap<>();
    private @Nullable ServerObserver redis;

    public Bench(Options options) {
        this.options = options;
    }

    /** The parameters in use, by name. */
    public Map<String, String> parameters() {
        return parameters;
    }

    /** Descriptions of the servers in use, by name. */
    public Map<String, String> servers() {
        return servers.descriptions();
    }

    /** Counters of Redis. */
    ServerObserver redis() {
        if (redis == null) {
            redis = new ServerObserver(
                    servers.addresses(Set.of(ServerKind.REDIS)).redis());
        }
        return redis;
    }

    /** The servers of these clients, and Redis. */
    Addresses addresses(List<ClientKind> clients) {
        Set<ServerKind> needed = EnumSet.of(ServerKind.REDIS);
        clients.forEach(client -> needed.add(client.server()));
        return servers.addresses(needed);
    }

    StoreServer server(ClientKind client) {
        return servers.get(client.server());
    }

    /**
     * The given clients, or those of them that the command line names. Skips clients without a server on this machine,
     * and reports that as a parameter.
     */
    List<ClientKind> clients(List<ClientKind> all) {
        List<ClientKind> named =
                options.words("clients").stream().map(ClientKind::of).toList();
        return all.stream()
                .filter(client -> named.isEmpty() || named.contains(client))
                .filter(this::isPossible)
                .toList();
    }

    private boolean isPossible(ClientKind client) {
        if (!client.server().isPresent()) {
            parameters.put(client.id(), "left out: no " + client.server().label() + " on this machine");
        }
        return client.server().isPresent();
    }

    Rounds rounds() {
        return new Rounds(count("warm-up", WARM_UP), count("rounds", MEASURED));
    }

    Duration roundTime(Duration usual) {
        return time("round", usual);
    }

    Duration time(String name, Duration usual) {
        Duration time =
                options.value(name).map(value -> Duration.parse("PT" + value)).orElse(usual);
        parameters.put(name, time.toString().substring(2).toLowerCase(Locale.ROOT));
        return time;
    }

    int count(String name, int usual) {
        int count = options.value(name).map(Integer::valueOf).orElse(usual);
        parameters.put(name, Integer.toString(count));
        return count;
    }

    /** Random numbers from a seed that the report contains. */
    Random random() {
        int seed = count("seed", ThreadLocalRandom.current().nextInt(SEEDS));
        System.err.println("seed " + seed);
        return new Random(seed);
    }

    /** Runs the section under a lock; returns how long the lock was waited for, in ns. */
    static long runLocked(LockClient client, String key, Runnable section) throws InterruptedException {
        return runLocked(() -> client.acquire(key, MAX_WAIT), section);
    }

    /** The same under any lock. */
    static long runLocked(Acquisition lock, Runnable section) throws InterruptedException {
        long asked = System.nanoTime();
        Hold hold = lock.acquire();
        long waited = System.nanoTime() - asked;
        section.run();
        hold.release();
        return waited;
    }

    interface Acquisition {
        Hold acquire() throws InterruptedException;
    }

    @Override
    public void close() {
        if (redis != null) {
            redis.close();
        }
        servers.close();
    }
}
