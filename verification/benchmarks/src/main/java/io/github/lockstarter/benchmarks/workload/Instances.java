package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.server.Addresses;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Open client instances, the same number of each kind. */
final class Instances implements AutoCloseable {

    private final Map<ClientKind, List<LockClient>> open = new EnumMap<>(ClientKind.class);

    private Instances() {}

    static Instances open(Addresses addresses, List<ClientKind> kinds, int ofEach) {
        Instances instances = new Instances();
        try {
            for (ClientKind kind : kinds) {
                List<LockClient> clients = new ArrayList<>();
                instances.open.put(kind, clients);
                for (int i = 0; i < ofEach; i++) {
                    clients.add(kind.open(addresses));
                }
            }
            return instances;
        } catch (RuntimeException e) {
            instances.close();
            throw e;
        }
    }

    List<LockClient> all(ClientKind kind) {
        return open.getOrDefault(kind, List.of());
    }

    LockClient one(ClientKind kind) {
        return all(kind).get(0);
    }

    @Override
    public void close() {
        open.values().forEach(clients -> clients.forEach(LockClient::close));
    }
}
