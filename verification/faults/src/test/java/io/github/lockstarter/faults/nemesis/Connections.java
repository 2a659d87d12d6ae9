package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.topology.Calls;
import io.github.lockstarter.kit.net.ProxyLink;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.KillArgs;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Connections of one worker to one server, as the server lists them.
 *
 * @param ports client ports that the server sees
 */
record Connections(RedisServer server, Set<Integer> ports) {

    private static final Pattern LISTED = Pattern.compile("id=(\\d+) addr=[^ ]*:(\\d+) .*");

    static Connections of(Site site, Predicate<ProxyLink> which) {
        return new Connections(
                site.redisServer(),
                site.link().open().stream()
                        .filter(which)
                        .map(ProxyLink::portAtServer)
                        .collect(Collectors.toSet()));
    }

    /** Makes the server close the remaining connections. */
    void kill() {
        Calls.to(server, commands -> {
            commands.clientList()
                    .lines()
                    .map(LISTED::matcher)
                    .filter(line -> line.matches() && ports.contains(Integer.valueOf(line.group(2))))
                    .forEach(line -> commands.clientKill(KillArgs.Builder.id(idOf(line))));
            return ports;
        });
    }

    private static long idOf(Matcher line) {
        return Long.parseLong(line.group(1));
    }
}
