package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.jvm.TaskJvm;
import io.github.lockstarter.benchmarks.measure.Fairness;
import io.github.lockstarter.benchmarks.measure.LoadResult;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * The threads of several JVMs compete for one key to change a value in Redis.
 *
 * @param reads how many of a hundred operations read
 */
record ThreeJvms(Lineup lineup, int usualThreads, int reads) {

    private static final int JVMS = 3;
    private static final int THREADS = 4;
    private static final int READERS = 16;
    private static final int READS = 95;
    private static final Duration ROUND = Duration.ofSeconds(3);
    private static final Duration LEAD = Duration.ofMillis(50);
    private static final String DESCRIPTION = """
            Under the lock, each thread reads a counter from Redis, adds one and writes it back, over a connection \
            that has nothing to do with the lock (two reads and two commands of each operation). Latency: the wait for \
            the lock.""";

    static Workload workload(Lineup lineup) {
        return lineup.workload(
                "three-jvms",
                "One key, " + JVMS + " JVMs with " + THREADS + " threads each",
                DESCRIPTION,
                new ThreeJvms(lineup, THREADS, 0)::run);
    }

    static Workload readers() {
        return Lineup.READERS.workload(
                "readers",
                "One read/write key, " + JVMS + " JVMs with " + READERS + " threads each, " + READS + " % reads",
                "Reads have an empty section. " + DESCRIPTION.replace("Under the lock", "Under the write lock"),
                new ThreeJvms(Lineup.READERS, READERS, READS)::run);
    }

    private List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(lineup.clients());
        Duration time = bench.roundTime(ROUND);
        int threads = bench.count("threads", usualThreads);
        List<TaskJvm> children = new ArrayList<>();
        try {
            for (int i = 0; i < bench.count("jvms", JVMS); i++) {
                children.add(TaskJvm.start(IncrementingJvm.class));
            }
            String ids = kinds.stream().map(ClientKind::id).collect(Collectors.joining(","));
            askAll(children, IncrementingJvm.OPEN, bench.addresses(kinds).format(), ids);
            return bench.rounds().run(kinds, kind -> List.of(round(bench, children, kind, threads, time)));
        } finally {
            children.forEach(TaskJvm::close);
        }
    }

    private Measurement round(Bench bench, List<TaskJvm> children, ClientKind kind, int threads, Duration time)
            throws Exception {
        RedisCommands<String, String> counters = bench.redis().redis();
        counters.set(IncrementingJvm.COUNTER, "0");
        List<LoadResult> jvms = new ArrayList<>();
        AtomicLong writes = new AtomicLong();
        ObservedLoad round = lineup.observe(bench, kind, () -> {
            long start = System.nanoTime() + LEAD.toNanos();
            askAll(children, IncrementingJvm.RUN, kind.id(), threads, start, time.toNanos(), reads)
                    .forEach(answer -> {
                        String[] words = answer.split(" ", -1);
                        jvms.add(LoadResult.parse(words[0]));
                        writes.addAndGet(Long.parseLong(words[1]));
                    });
            return LoadResult.together(jvms);
        });
        String counter = counters.get(IncrementingJvm.COUNTER);
        long[] ofJvms = jvms.stream().mapToLong(LoadResult::inTime).toArray();
        return round.measurement()
                .with(Metric.FAIRNESS_OF_THREADS, Fairness.jain(round.load().shares()))
                .with(Metric.FAIRNESS_OF_INSTANCES, Fairness.jain(ofJvms))
                .with(Metric.LOST_UPDATES, (double) (writes.get() - Long.parseLong(counter == null ? "0" : counter)));
    }

    private static List<String> askAll(List<TaskJvm> children, Object... words) {
        children.forEach(child -> child.send(words));
        return children.stream().map(TaskJvm::receive).toList();
    }
}
