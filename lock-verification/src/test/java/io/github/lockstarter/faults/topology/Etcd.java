package io.github.lockstarter.faults.topology;

import io.github.lockstarter.faults.server.EtcdServer;
import io.github.lockstarter.faults.server.Json;
import io.github.lockstarter.redis.testing.TcpProxy;
import io.github.lockstarter.testing.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** etcd servers: one, or three of which two are a majority. */
public final class Etcd implements Topology {

    /** All keys. */
    private static final String ALL = "{\"key\":\"AA==\",\"range_end\":\"AA==\",\"keys_only\":true}";

    private final String name;
    private final List<EtcdServer> servers;

    private Etcd(String name, int count) {
        this.name = name;
        this.servers = EtcdServer.start(count);
    }

    /**
     * Whether there is a binary.
     *
     * @return false if no topology of this kind can be started
     */
    public static boolean isAvailable() {
        return EtcdServer.binary().isPresent();
    }

    /**
     * Starts three servers.
     *
     * @return the running cluster; close it
     */
    public static Etcd cluster() {
        return new Etcd("etcd", 3);
    }

    /**
     * Starts one server.
     *
     * @return the running server; close it
     */
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
        List<TcpProxy> proxies = servers.stream()
                .map(server -> TcpProxy.before(server.host(), server.port()))
                .toList();
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

    /** A killed worker leaves leases, and the keys with them, for the time to live of those. */
    @Override
    public List<String> leftovers(Duration longestLease) {
        EtcdServer any = servers.get(0);
        List<String> left = new ArrayList<>();
        Json.fields(any.call("/v3/kv/range", ALL), "key")
                .forEach(key -> left.add("key " + new String(Base64.getDecoder().decode(key), StandardCharsets.UTF_8)));
        leases(any).forEach(lease -> left.add("lease " + lease));
        return left;
    }

    private static List<String> leases(EtcdServer server) {
        return Json.fields(server.call("/v3/lease/leases", "{}"), "ID").stream()
                .sorted()
                .toList();
    }

    @Override
    public void close() {
        servers.forEach(EtcdServer::close);
    }
}
