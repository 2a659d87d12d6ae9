package io.github.lockstarter.demo.report;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.data.redis.connection.RedisConnection;

/** What a server says of itself. */
final class ServerDescription {

    private static final List<String> SECTIONS = List.of("server", "replication", "memory");

    /** The version of Redis that it imitates, its own version and name, and what locks depend on. */
    private static final String FIELDS =
            "(?!gcc)[a-z]+_version|server_name|(redis|server)_mode|role|connected_slaves|maxmemory_policy";

    private static final int PINGS = 21;
    private static final double NANOS_PER_MS = 1e6;

    private ServerDescription() {}

    /** The fields of {@code INFO} by name, without the address before those of a cluster's nodes. */
    static String of(RedisConnection connection) {
        return SECTIONS.stream()
                .flatMap(section -> fields(connection.serverCommands().info(section)))
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private static Stream<String> fields(Properties info) {
        return info.stringPropertyNames().stream()
                .sorted()
                .filter(name -> simple(name).matches(FIELDS))
                .map(name -> simple(name) + ' ' + info.getProperty(name));
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** The median time of {@code PING}. */
    static Duration roundTrip(RedisConnection connection) {
        long[] nanos = new long[PINGS];
        for (int i = 0; i < PINGS; i++) {
            long begin = System.nanoTime();
            connection.ping();
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        return Duration.ofNanos(nanos[PINGS / 2]);
    }

    static String millis(Duration time) {
        return String.format(Locale.ROOT, "%.1f ms", time.toNanos() / NANOS_PER_MS);
    }
}
