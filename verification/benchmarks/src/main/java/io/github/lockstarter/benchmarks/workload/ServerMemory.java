package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.server.ServerObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Server memory for clients, waiters, and held and released locks. */
record ServerMemory() implements Workload {

    private static final int LOCKS = 20_000;
    private static final int CLIENTS = 20;
    private static final long WAITING_SECONDS = 2;

    @Override
    public String id() {
        return "server-memory";
    }

    @Override
    public String title() {
        return "Memory of the server";
    }

    @Override
    public String description() {
        return "One client acquires many free keys, then releases them. Several clients each acquire and release a key, then"
                + " wait for one that is held. What used_memory grew by, divided by their number.";
    }

    @Override
    public List<Metric> charted() {
        return List.of(Metric.BYTES_PER_HELD, Metric.BYTES_PER_RELEASED);
    }

    @Override
    public List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(ClientKind.holdingMany());
        int locks = bench.count("locks", LOCKS);
        int clients = bench.count("instances", CLIENTS);
        return bench.rounds().run(kinds, kind -> {
            bench.redis().redis().flushall();
            return List.of(ofClients(bench, kind, clients, ofLocks(bench, kind, locks)));
        });
    }

    private static Measurement ofLocks(Bench bench, ClientKind kind, int locks) throws Exception {
        ServerObserver server = bench.redis();
        try (LockClient client = kind.open(bench.addresses(List.of(kind)))) {
            client.acquire("first", Bench.MAX_WAIT).release();
            try (Holders holders = new Holders(client)) {
                long before = server.memory();
                holders.acquire(locks);
                long held = server.memory();
                holders.release();
                return Measurement.EMPTY
                        .with(Metric.BYTES_PER_HELD, (held - before) / (double) locks)
                        .with(Metric.BYTES_PER_RELEASED, (server.memory() - before) / (double) locks);
            }
        }
    }

    private static Measurement ofClients(Bench bench, ClientKind kind, int clients, Measurement ofLocks)
            throws Exception {
        ServerObserver server = bench.redis();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (LockClient holder = kind.open(bench.addresses(List.of(kind)))) {
            Hold hold = holder.acquire("one", Bench.MAX_WAIT);
            long before = server.memory();
            try (Instances instances = Instances.open(bench.addresses(List.of(kind)), List.of(kind), clients)) {
                for (LockClient client : instances.all(kind)) {
                    client.acquire("own", Bench.MAX_WAIT).release();
                }
                long opened = server.memory();
                List<Future<?>> waiting = new ArrayList<>();
                instances
                        .all(kind)
                        .forEach(client -> waiting.add(threads.submit(() -> {
                            client.acquire("one", Bench.MAX_WAIT).release();
                            return true;
                        })));
                TimeUnit.SECONDS.sleep(WAITING_SECONDS);
                long waited = server.memory();
                hold.release();
                for (Future<?> each : waiting) {
                    each.get();
                }
                return ofLocks.with(Metric.BYTES_PER_CLIENT, (opened - before) / (double) clients)
                        .with(Metric.BYTES_PER_WAITER, (waited - opened) / (double) clients);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
