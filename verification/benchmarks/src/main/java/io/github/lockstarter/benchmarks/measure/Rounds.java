package io.github.lockstarter.benchmarks.measure;

import io.github.lockstarter.benchmarks.client.ClientKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Runs clients in turn, so that disturbances of the machine affect all of them alike. Each round starts with another
 * client.
 *
 * @param warmUp rounds that are discarded
 */
public record Rounds(int warmUp, int measured) {

    @FunctionalInterface
    public interface Round {

        /**
         * Runs one round of a client.
         *
         * @return one measurement, or one per part of the round
         * @throws Exception ends the workload
         */
        List<Measurement> run(ClientKind kind) throws Exception;
    }

    /**
     * Runs all rounds.
     *
     * @return a row per client
     */
    public List<Row> run(List<ClientKind> clients, Round round) throws Exception {
        Map<ClientKind, List<Measurement>> results = new EnumMap<>(ClientKind.class);
        List<ClientKind> order = new ArrayList<>(clients);
        for (int i = 0; i < warmUp + measured; i++) {
            for (ClientKind kind : order) {
                List<Measurement> measurements = round.run(kind);
                if (i >= warmUp) {
                    results.computeIfAbsent(kind, absent -> new ArrayList<>()).addAll(measurements);
                }
            }
            Collections.rotate(order, -1);
        }
        return clients.stream()
                .map(kind -> Row.of(kind, results.getOrDefault(kind, List.of())))
                .toList();
    }
}
