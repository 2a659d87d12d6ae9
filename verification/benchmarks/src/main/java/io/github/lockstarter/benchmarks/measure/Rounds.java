package io.github.lockstarter.benchmarks.measure;

import io.github.lockstarter.benchmarks.client.ClientKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Clients one after the other, again and again: what the machine does meanwhile meets all of them alike. Each round
 * begins with another client.
 *
 * @param warmUp rounds that are not counted
 * @param measured rounds that are
 */
public record Rounds(int warmUp, int measured) {

    /** One round of one client. */
    @FunctionalInterface
    public interface Round {

        /**
         * Runs it.
         *
         * @param kind the client
         * @return what came out: one measurement, or one for each part of the round
         * @throws Exception when it fails, which ends the workload
         */
        List<Measurement> run(ClientKind kind) throws Exception;
    }

    /**
     * Runs all rounds of all clients.
     *
     * @param clients in the order of the rows
     * @param round what each does in a round
     * @return a row for each client
     * @throws Exception when a round failed
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
                .map(kind -> new Row(kind.id(), kind.label(), results.getOrDefault(kind, List.of())))
                .toList();
    }
}
