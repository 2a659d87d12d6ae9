package io.github.lockstarter.benchmarks.server;

import io.lettuce.core.RedisURI;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Addresses of the running servers. Immutable. */
public record Addresses(Map<ServerKind, String> byServer) {

    private static final String BETWEEN = "|";

    public Addresses {
        byServer = Map.copyOf(byServer);
    }

    /**
     * The address of one server.
     *
     * @throws IllegalArgumentException if it does not run
     */
    public String of(ServerKind server) {
        String address = byServer.get(server);
        if (address == null) {
            throw new IllegalArgumentException("No address of " + server + "; there are " + byServer);
        }
        return address;
    }

    public RedisURI redis() {
        String address = of(ServerKind.REDIS);
        int colon = address.lastIndexOf(':');
        return RedisURI.create(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    /** Encodes all addresses in one word. */
    public String format() {
        return new EnumMap<>(byServer)
                .entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining(BETWEEN));
    }

    /** Decodes a word of {@link #format}. */
    public static Addresses parse(String word) {
        return new Addresses(Arrays.stream(word.split("\\" + BETWEEN, -1))
                .map(each -> each.split("=", 2))
                .collect(Collectors.toMap(each -> ServerKind.valueOf(each[0]), each -> each[1])));
    }
}
