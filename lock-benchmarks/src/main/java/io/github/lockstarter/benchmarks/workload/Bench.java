package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.Options;
import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.server.RedisProcess;
import io.github.lockstarter.benchmarks.server.ServerObserver;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/** What one run of a workload works with: a fresh Redis, and parameters. Remembers which parameters were asked for. */
public final class Bench implements AutoCloseable {

    /** Longest wait for a lock. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int WARM_UP = 2;
    private static final int MEASURED = 5;
    private static final int SEEDS = 1_000_000;

    private final Options options;
    private final RedisProcess process = RedisProcess.start();
    private final ServerObserver server = new ServerObserver(process.uri());
    private final Map<String, String> parameters = new TreeMap<>();

    /**
     * Starts a Redis.
     *
     * @param options parameters that differ from the defaults
     */
    public Bench(Options options) {
        this.options = options;
    }

    /**
     * The parameters that the workload asked for.
     *
     * @return value by name
     */
    public Map<String, String> parameters() {
        return Map.copyOf(parameters);
    }

    /**
     * What the server counts.
     *
     * @return an open connection
     */
    public ServerObserver server() {
        return server;
    }

    RedisURI uri() {
        return process.uri();
    }

    /** Those of the given clients that the command line names; all if it names none. */
    List<ClientKind> clients(List<ClientKind> all) {
        List<ClientKind> wanted =
                options.words("clients").stream().map(ClientKind::of).toList();
        return wanted.isEmpty() ? all : all.stream().filter(wanted::contains).toList();
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

    /** Random numbers. The seed is a parameter, which the report names; it is also told at once. */
    Random random() {
        int seed = count("seed", ThreadLocalRandom.current().nextInt(SEEDS));
        System.err.println("seed " + seed);
        return new Random(seed);
    }

    @Override
    public void close() {
        server.close();
        process.close();
    }
}
