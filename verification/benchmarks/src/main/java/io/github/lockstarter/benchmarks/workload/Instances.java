package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.server.Addresses;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Open client instances, the same number of each kind. */
final class Instances implements AutoCloseable {

    private final Map<ClientKind, List<LockClient>> open = new EnumMap<>(ClientKind.class);

    static Instances open(Addresses addresses, List<ClientKind> kinds, int ofEach) {
        Instances instances = new Instances();
        kinds.forEach(kind -> instances.open.put(
                kind, Stream.generate(() -> kind.open(addresses)).limit(ofEach).toList()));
        return instances;
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
