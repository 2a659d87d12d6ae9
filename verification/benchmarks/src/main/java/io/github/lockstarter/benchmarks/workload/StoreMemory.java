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
final class StoreMemory {

    static final Workload WORKLOAD =
            new Workload("stores-memory", "Stores: memory of the server", """
            One client acquires many free keys, then releases them. What its server's data grew by, divided by their \
            number: used_memory of Redis, tables with their indexes of PostgreSQL, live heap of ZooKeeper, pages \
            in use of etcd's database. These are not the same thing: Redis and ZooKeeper have all in memory, \
            PostgreSQL and etcd on the disk. What a released lock leaves behind is removed in turn: by ZooKeeper once \
            a minute, by the vacuum of PostgreSQL, by a compaction of etcd.""", StoreMemory::run);

    private static final int LOCKS = 20_000;

    private StoreMemory() {}

    private static List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(ClientKind.ofStoresThatRenew());
        int locks = bench.count("locks", LOCKS);
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 1)) {
            return new Rounds(0, 1).run(kinds, kind -> List.of(round(bench.server(kind), instances.one(kind), locks)));
        }
    }

    private static Measurement round(StoreServer server, LockClient client, int locks) throws Exception {
        client.acquire("first", Bench.MAX_WAIT).release();
        long before = server.dataSize();
        ManyHolds holds = ManyHolds.acquire(client, locks);
        long held = server.dataSize();
        long lost = holds.release();
        long released = server.dataSize();
        return Measurement.EMPTY
                .with(Metric.BYTES_PER_HELD, (held - before) / (double) locks)
                .with(Metric.BYTES_PER_RELEASED, (released - before) / (double) locks)
                .with(Metric.LOST_LOCKS, (double) lost);
    }
}
