package io.github.lockstarter.benchmarks.server;

import io.lettuce.core.RedisURI;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where the servers of a run listen. Immutable.
 *
 * @param byServer address of each server that runs
 */
public record Addresses(Map<ServerKind, String> byServer) {

    private static final String BETWEEN = "|";

    /**
     * Copies the addresses.
     *
     * @param byServer address of each server that runs
     */
    public Addresses {
        byServer = Map.copyOf(byServer);
    }

    /**
     * Where one server listens.
     *
     * @param server which
     * @return its address
     * @throws IllegalArgumentException when it does not run
     */
    public String of(ServerKind server) {
        String address = byServer.get(server);
        if (address == null) {
            throw new IllegalArgumentException("No address of " + server + "; there are " + byServer);
        }
        return address;
    }

    /**
     * Where Redis listens.
     *
     * @return host and port
     * @throws IllegalArgumentException when it does not run
     */
    public RedisURI redis() {
        String address = of(ServerKind.REDIS);
        int colon = address.lastIndexOf(':');
        return RedisURI.create(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    /**
     * Writes all into one word, for a child JVM.
     *
     * @return for {@link #parse}
     */
    public String format() {
        return new EnumMap<>(byServer)
                .entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining(BETWEEN));
    }

    /**
     * Reads what {@link #format} wrote.
     *
     * @param word servers and addresses
     * @return the addresses
     */
    public static Addresses parse(String word) {
        return new Addresses(Arrays.stream(word.split("\\" + BETWEEN, -1))
                .map(each -> each.split("=", 2))
                .collect(Collectors.toMap(each -> ServerKind.valueOf(each[0]), each -> each[1])));
    }
}
