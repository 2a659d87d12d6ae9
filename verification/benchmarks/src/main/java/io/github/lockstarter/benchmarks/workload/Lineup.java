package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.LoadResult;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** The clients of a workload, and the counters of their servers. */
enum Lineup {

    /** Clients of Redis, with its counters. */
    REDIS {
        @Override
        String id(String ofWorkload) {
            return ofWorkload;
        }

        @Override
        String title(String ofWorkload) {
            return ofWorkload;
        }

        @Override
        List<ClientKind> clients() {
            return ClientKind.distributed();
        }

        @Override
        List<ClientKind> apart() {
            return ClientKind.apart();
        }

        @Override
        List<ClientKind> references() {
            return List.of(ClientKind.REENTRANT_LOCK, ClientKind.FAIR_REENTRANT_LOCK);
        }

        @Override
        List<ClientKind> holdingUntilTheEnd() {
            return ClientKind.holdingUntilTheEnd();
        }

        @Override
        Duration leaseOfCrashed() {
            return Duration.ofSeconds(30);
        }

        @Override
        ObservedLoad observe(Bench bench, ClientKind kind, Callable<LoadResult> round) throws Exception {
            return ObservedLoad.of(bench.redis(), round);
        }
    },

    /** The starter on its stores, and other clients of the same servers; only processor time is measured. */
    STORES {
        @Override
        String id(String ofWorkload) {
            return "stores-" + ofWorkload;
        }

        @Override
        String title(String ofWorkload) {
            return "Stores: " + ofWorkload.substring(0, 1).toLowerCase(Locale.ROOT) + ofWorkload.substring(1);
        }

        @Override
        List<ClientKind> clients() {
            return ClientKind.ofStores();
        }

        @Override
        List<ClientKind> holdingUntilTheEnd() {
            return ClientKind.ofStoresHoldingUntilTheEnd();
        }

        @Override
        Duration leaseOfCrashed() {
            return Duration.ofSeconds(10);
        }

        @Override
        ObservedLoad observe(Bench bench, ClientKind kind, Callable<LoadResult> round) throws Exception {
            return ObservedLoad.of(bench.server(kind), round);
        }
    };

    abstract String id(String ofWorkload);

    abstract String title(String ofWorkload);

    abstract List<ClientKind> clients();

    /** Clients measured in a separate table. */
    List<ClientKind> apart() {
        return List.of();
    }

    /** Local locks for reference. */
    List<ClientKind> references() {
        return List.of();
    }

    abstract List<ClientKind> holdingUntilTheEnd();

    /** Default lease in workloads that crash or pause the holder. */
    abstract Duration leaseOfCrashed();

    /** Measures a round of one client and the work of its server. */
    abstract ObservedLoad observe(Bench bench, ClientKind kind, Callable<LoadResult> round) throws Exception;
}
