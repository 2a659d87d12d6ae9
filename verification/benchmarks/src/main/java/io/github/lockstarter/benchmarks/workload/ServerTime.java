package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import io.github.lockstarter.benchmarks.server.ServerObserver;
import io.github.lockstarter.benchmarks.server.ServerObserver.Observed;
import io.github.lockstarter.benchmarks.server.ServerWork;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Server time of an acquire and a release. */
record ServerTime() implements Workload {

    private static final int LOCKS = 3_000;

    @Override
    public String id() {
        return "server-time";
    }

    @Override
    public String title() {
        return "Time in the server";
    }

    @Override
    public String description() {
        return "One thread acquires many free keys, then releases them. The time is what the server itself counts for the"
                + " clients' scripts (INFO commandstats), or for SET where acquiring is no script.";
    }

    @Override
    public List<Metric> charted() {
        return List.of(Metric.ACQUIRING_IN_SERVER, Metric.RELEASING_IN_SERVER);
    }

    @Override
    public List<Row> run(Bench bench) throws Exception {
        List<ClientKind> kinds =
                bench.clients(Stream.concat(ClientKind.distributed().stream(), ClientKind.apart().stream())
                        .toList());
        int locks = bench.count("locks", LOCKS);
        try (Instances instances = Instances.open(bench.addresses(kinds), kinds, 1)) {
            return bench.rounds().run(kinds, kind -> List.of(round(bench.redis(), instances.one(kind), locks)));
        }
    }

    private static Measurement round(ServerObserver server, LockClient client, int locks) throws Exception {
        Observed<List<Hold>> acquiring = server.during(() -> {
            List<Hold> holds = new ArrayList<>();
            for (int i = 0; i < locks; i++) {
                holds.add(client.acquire("free:" + i, Bench.MAX_WAIT));
            }
            return holds;
        });
        Observed<Boolean> releasing = server.during(() -> {
            acquiring.result().forEach(Hold::release);
            return true;
        });
        return Measurement.EMPTY
                .with(Metric.ACQUIRING_IN_SERVER, microsPerCommand(acquiring.work(), locks))
                .with(Metric.RELEASING_IN_SERVER, microsPerCommand(releasing.work(), locks));
    }

    /** A few scripts are heartbeats of other clients. */
    private static double microsPerCommand(ServerWork work, int locks) {
        ServerWork.Calls scripts = work.scripts();
        return (scripts.count() > locks / 2 ? scripts : work.calls("set")).microsPerCall();
    }
}
