package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Yield;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** Which clients a workload compares, and what is told of their servers. */
enum Lineup {

    /** Clients of one Redis, which counts what it does. */
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
        ObservedYield observe(Bench bench, ClientKind kind, Callable<Yield> round) throws Exception {
            return ObservedYield.of(bench.redis(), round);
        }
    },

    /** The starter's stores, and other clients of the same servers; only processor time is known of all. */
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
        ObservedYield observe(Bench bench, ClientKind kind, Callable<Yield> round) throws Exception {
            return ObservedYield.of(bench.server(kind), round);
        }
    };

    /** The id of a workload with these clients. */
    abstract String id(String ofWorkload);

    /** The heading of a workload with these clients. */
    abstract String title(String ofWorkload);

    abstract List<ClientKind> clients();

    /** Those that are measured beside them, and not compared; none by default. */
    List<ClientKind> apart() {
        return List.of();
    }

    /** What threads of one JVM reach without a server; none by default. */
    List<ClientKind> references() {
        return List.of();
    }

    /** Those that keep a lock as long as their process lives. */
    abstract List<ClientKind> holdingUntilTheEnd();

    /** How long a lock of a crashed holder lives, unless the command line says otherwise. */
    abstract Duration leaseOfCrashed();

    /** Runs a round of one client, and looks at its server before and after. */
    abstract ObservedYield observe(Bench bench, ClientKind kind, Callable<Yield> round) throws Exception;
}
