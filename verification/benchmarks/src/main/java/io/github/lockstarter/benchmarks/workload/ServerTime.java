package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.server.ServerObserver;
import io.github.lockstarter.benchmarks.server.ServerObserver.Observed;
import io.github.lockstarter.benchmarks.server.ServerWork;
import java.util.List;

/** Server time of an acquire and a release. */
final class ServerTime {

    static final Workload WORKLOAD = new Workload("server-time", "Time in the server", """
            One thread acquires many free keys, then releases them. The time is what the server itself counts for the \
            clients' scripts (INFO commandstats), or for SET where acquiring is no script.""", ServerTime::run);

    private static final int LOCKS = 3_000;

    private ServerTime() {}

    private static List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds = bench.clients(ClientKind.distributed());
        int locks = bench.count("locks", LOCKS);
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 1)) {
            return bench.rounds().run(kinds, kind -> List.of(round(bench.redis(), instances.one(kind), locks)));
        }
    }

    private static Measurement round(ServerObserver server, LockClient client, int locks) throws Exception {
        Observed<ManyHolds> acquiring = server.during(() -> ManyHolds.acquire(client, locks));
        Observed<Long> releasing = server.during(acquiring.result()::release);
        return Measurement.EMPTY
                .with(Metric.ACQUIRING_IN_SERVER, microsPerCommand(acquiring.work(), locks))
                .with(Metric.RELEASING_IN_SERVER, microsPerCommand(releasing.work(), locks));
    }

    /** A few scripts are heartbeats of other clients. */
    private static double microsPerCommand(ServerWork work, int locks) {
        ServerWork.Calls scripts = work.scripts();
        return (scripts.count() > locks / 2 ? scripts : work.sets()).microsPerCall();
    }
}
