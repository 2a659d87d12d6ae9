package io.github.lockstarter.benchmarks.server;

import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The servers of a run, started lazily. Used by one thread. */
public final class Servers implements AutoCloseable {

    private final Map<ServerKind, StoreServer> running = new EnumMap<>(ServerKind.class);

    public Servers() {}

    public StoreServer get(ServerKind kind) {
        return running.computeIfAbsent(kind, ServerKind::start);
    }

    /** Addresses of these servers only; starts them if needed. */
    public Addresses addresses(Collection<ServerKind> kinds) {
        Map<ServerKind, String> addresses = new EnumMap<>(ServerKind.class);
        kinds.forEach(kind -> addresses.put(kind, get(kind).address()));
        return new Addresses(addresses);
    }

    /** Descriptions of running servers by name. */
    public Map<String, String> descriptions() {
        Map<String, String> descriptions = new LinkedHashMap<>();
        running.forEach((kind, server) -> descriptions.put(kind.label(), server.description()));
        return descriptions;
    }

    @Override
    public void close() {
        running.values().forEach(StoreServer::close);
        running.clear();
    }
}
