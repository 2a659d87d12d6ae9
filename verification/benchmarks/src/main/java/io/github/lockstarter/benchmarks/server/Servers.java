package io.github.lockstarter.benchmarks.server;

import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The servers of a run, each started when it is first asked for. Used by one thread. */
public final class Servers implements AutoCloseable {

    private final Map<ServerKind, StoreServer> running = new EnumMap<>(ServerKind.class);

    /** No server runs yet. */
    public Servers() {}

    /**
     * A running server.
     *
     * @param kind which
     * @return always the same
     */
    public StoreServer get(ServerKind kind) {
        return running.computeIfAbsent(kind, ServerKind::start);
    }

    /**
     * Where servers listen.
     *
     * @param kinds those that are to run
     * @return the addresses of these and of no other
     */
    public Addresses addresses(Collection<ServerKind> kinds) {
        Map<ServerKind, String> addresses = new EnumMap<>(ServerKind.class);
        kinds.forEach(kind -> addresses.put(kind, get(kind).address()));
        return new Addresses(addresses);
    }

    /**
     * What runs, for the report.
     *
     * @return description by name of the server
     */
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
