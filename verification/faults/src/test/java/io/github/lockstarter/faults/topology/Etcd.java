package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.process.ServerProcess;
import io.github.lockstarter.kit.server.EtcdServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** etcd servers: one, or three of which two are a majority. */
public final class Etcd implements Topology {

    /** All keys. */
    private static final String ALL = "{\"key\":\"AA==\",\"range_end\":\"AA==\",\"keys_only\":true}";

    private static final Pattern ENTRY = Pattern.compile("\\{\"key\":[^{}]*}");
    private static final Pattern KEYS = Pattern.compile("\"keys\":\\[([^]]*)]");

    /** How long an abandoned wait stays registered: the patience in the workers' requests. */
    private static final Duration LONGEST_QUEUE = Duration.ofSeconds(15);

    private final String name;
    private final List<EtcdServer> servers;

    private Etcd(String name, int count) {
        this.name = name;
        this.servers = EtcdServer.startCluster(count);
    }

    /** Whether this machine has a binary. */
    public static boolean isAvailable() {
        return EtcdServer.binary().isPresent();
    }

    /** Starts three servers; close the cluster. */
    public static Etcd cluster() {
        return new Etcd("etcd", 3);
    }

    /** Starts one server; close it. */
    public static Etcd single() {
        return new Etcd("etcd-single", 1);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Set<Trait> traits() {
        Set<Trait> traits = EnumSet.of(Trait.PROXIED, Trait.DURABLE, Trait.HALF_OPEN, Trait.SESSIONS);
        traits.add(servers.size() > 1 ? Trait.LEADER : Trait.ALONE);
        return traits;
    }

    @Override
    public List<EtcdServer> servers() {
        return servers;
    }

    @Override
    public ServerProcess leader() {
        Roles.await("the servers have a leader", () -> servers.stream().anyMatch(EtcdServer::isLeader));
        return servers.stream().filter(EtcdServer::isLeader).findFirst().orElse(servers.get(0));
    }

    @Override
    public Link link() {
        List<TcpProxy> proxies =
                servers.stream().map(server -> TcpProxy.before(server)).toList();
        return new Link(Address.of(Address.Kind.ETCD, proxies), proxies);
    }

    @Override
    public void endSession(int lot) {
        EtcdServer any = servers.get(Math.floorMod(lot, servers.size()));
        List<String> leases = leases(any);
        if (!leases.isEmpty()) {
            String lease = leases.get(Math.floorMod(lot, leases.size()));
            any.call("/v3/lease/revoke", "{\"ID\":\"" + lease + "\"}");
        }
    }

    /**
     * Everything has its own etcd lease, except for the offset of the fencing tokens. A killed worker leaves its locks
     * for a lease, and its waits for their patience.
     */
    @Override
    public List<String> leftovers(Duration longestLease) {
        EtcdServer any = servers.get(0);
        List<String> left = new ArrayList<>();
        ENTRY.matcher(any.call("/v3/kv/range", ALL))
                .results()
                .map(MatchResult::group)
                .filter(entry -> field(entry, "lease").isEmpty())
                .map(entry -> key(field(entry, "key")))
                .filter(key -> !key.endsWith("fence"))
                .forEach(key -> left.add("key without a lease " + key));
        for (String lease : leases(any)) {
            String answer = any.call("/v3/lease/timetolive", "{\"ID\":\"" + lease + "\",\"keys\":true}");
            List<String> keys = KEYS.matcher(answer)
                    .results()
                    .flatMap(match -> Stream.of(match.group(1).replace("\"", "").split(",", -1)))
                    .map(Etcd::key)
                    .toList();
            String seconds = field(answer, "TTL");
            if (!seconds.isEmpty() && Long.parseLong(seconds) > longest(keys, longestLease)) {
                left.add("lease " + lease + " for " + seconds + " s more, of " + keys);
            }
        }
        return left;
    }

    /**
     * In whole seconds, by the keys of an etcd lease. That of a wait has the waiter's key and its messages to owners,
     * and only the messages once the instance waits again with another lease. A lease without a key keeps nothing.
     */
    static long longest(List<String> keys, Duration longestLease) {
        boolean queue = keys.stream().allMatch(key -> key.startsWith("lock:waiter:") || key.startsWith("lock:mail:"));
        return (queue ? LONGEST_QUEUE : longestLease).toSeconds() + 1;
    }

    private static String key(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    /** The first one of a name; empty if there is none. */
    private static String field(String json, String name) {
        return EtcdServer.fields(json, name).stream().findFirst().orElse("");
    }

    private static List<String> leases(EtcdServer server) {
        return EtcdServer.fields(server.call("/v3/lease/leases", "{}"), "ID").stream()
                .sorted()
                .toList();
    }

    @Override
    public void close() {
        servers.forEach(EtcdServer::close);
    }
}
