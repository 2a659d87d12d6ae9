package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.server.StoreServer;
import java.util.List;

/** Memory of each store's server for held and released locks. */
record StoreMemory() implements Workload {

    private static final int LOCKS = 5_000;
    private static final int WARM_UP = 1;
    private static final int MEASURED = 3;

    @Override
    public String id() {
        return "stores-memory";
    }

    @Override
    public String title() {
        return "Stores: memory of the server";
    }

    @Override
    public String description() {
        return "One client acquires many free keys, then releases them. What its server's data grew by, divided by their"
                + " number: used_memory of Redis, tables with their indexes of PostgreSQL, live heap of ZooKeeper, pages"
                + " in use of etcd's database. These are not the same thing: Redis and ZooKeeper have all in memory,"
                + " PostgreSQL and etcd on the disk. What a released lock leaves behind is removed in turn: by ZooKeeper once"
                + " a minute, by the vacuum of PostgreSQL, by a compaction of etcd.";
    }

    @Override
    public List<Metric> charted() {
        return List.of(Metric.BYTES_PER_HELD, Metric.BYTES_PER_RELEASED);
    }

    @Override
    public List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(ClientKind.ofStoresHoldingMany());
        int locks = bench.count("locks", LOCKS);
        Rounds rounds = new Rounds(bench.count("warm-up", WARM_UP), bench.count("rounds", MEASURED));
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 1)) {
            return rounds.run(kinds, kind -> List.of(round(bench.server(kind), instances.one(kind), locks)));
        }
    }

    private static Measurement round(StoreServer server, LockClient client, int locks) throws Exception {
        client.acquire("first", Bench.MAX_WAIT).release();
        server.compact();
        try (Holders holders = new Holders(client)) {
            long before = server.dataSize();
            holders.acquire(locks);
            long held = server.dataSize();
            long lost = holders.release();
            long released = server.dataSize();
            return Measurement.EMPTY
                    .with(Metric.BYTES_PER_HELD, (held - before) / (double) locks)
                    .with(Metric.BYTES_PER_RELEASED, (released - before) / (double) locks)
                    .with(Metric.LOST_LOCKS, (double) lost);
        }
    }
}
