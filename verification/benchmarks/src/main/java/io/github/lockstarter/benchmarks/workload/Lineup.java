package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.LoadResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.springframework.util.StringUtils;

/**
 * The clients of a workload.
 *
 * @param holdingUntilTheEnd clients that keep a lock until their process ends
 * @param lease default in workloads that crash or pause the holder
 */
record Lineup(boolean ofStores, List<ClientKind> clients, List<ClientKind> holdingUntilTheEnd, Duration lease) {

    /** Clients of Redis, with its counters. */
    static final Lineup REDIS =
            new Lineup(false, ClientKind.distributed(), ClientKind.holdingUntilTheEnd(), Duration.ofSeconds(30));

    /** Those of them that have read/write locks. */
    static final Lineup READERS = new Lineup(false, ClientKind.withReaders(), List.of(), Duration.ofSeconds(30));

    /** The starter on its stores, and other clients of the same servers; only processor time is measured. */
    static final Lineup STORES =
            new Lineup(true, ClientKind.ofStores(), ClientKind.ofStoresThatRenew(), Duration.ofSeconds(10));

    Workload workload(String id, String title, String description, Workload.Measured measured) {
        return ofStores
                ? new Workload("stores-" + id, "Stores: " + StringUtils.uncapitalize(title), description, measured)
                : new Workload(id, title, description, measured);
    }

    /** Measures a round of one client and the work of its server. */
    ObservedLoad observe(Bench bench, ClientKind kind, Callable<LoadResult> round) throws Exception {
        return ofStores ? ObservedLoad.of(bench.server(kind), round) : ObservedLoad.of(bench.redis(), round);
    }
}
