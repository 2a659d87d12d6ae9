package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.ClientKind;
import java.util.Map;

/** One colour per client in all charts, distinguishable on light and dark pages. */
final class Palette {

    private static final String OTHERS = "#8b949e";

    private static final Map<String, String> COLOURS = Map.ofEntries(
            Map.entry(ClientKind.FLOOR.id(), "#8b949e"),
            Map.entry(ClientKind.STARTER.id(), "#2f81f7"),
            Map.entry(ClientKind.STARTER_REDIS.id(), "#2f81f7"),
            Map.entry(ClientKind.STARTER_POSTGRESQL.id(), "#2f81f7"),
            Map.entry(ClientKind.STARTER_ZOOKEEPER.id(), "#2f81f7"),
            Map.entry(ClientKind.STARTER_ETCD.id(), "#2f81f7"),
            Map.entry(ClientKind.REDISSON.id(), "#d9822b"),
            Map.entry(ClientKind.SPRING_INTEGRATION.id(), "#3fa45b"),
            Map.entry(ClientKind.SPRING_INTEGRATION_RENEWING.id(), "#3fa45b"),
            Map.entry(ClientKind.LOCK4J.id(), "#a371f7"),
            Map.entry(ClientKind.SPRING_INTEGRATION_JDBC.id(), "#3fa45b"),
            Map.entry(ClientKind.CURATOR.id(), "#d9822b"),
            Map.entry(ClientKind.REENTRANT_LOCK.id(), "#b8a24a"),
            Map.entry(ClientKind.FAIR_REENTRANT_LOCK.id(), "#cbbd80"));

    private Palette() {}

    static String of(String rowId) {
        return COLOURS.getOrDefault(rowId, OTHERS);
    }
}
