package io.github.lockstarter.redis.testing;

import io.github.lockstarter.testing.FreePort;
import io.github.lockstarter.testing.Patience;
import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster of three masters with one replica each. The nodes find each other, their roles and their slots in the file
 * that they are started with, as if they had been stopped before, which is much faster than to let them meet.
 */
public final class RedisCluster implements RedisTopology {

    private static final int MASTERS = 3;
    private static final int START_ATTEMPTS = 3;
    private static final String STATE_FILE = "nodes.conf";

    private final List<Node> nodes = new ArrayList<>();

    private RedisCluster() {}

    /**
     * Starts the nodes, and waits until the cluster takes commands.
     *
     * @return the running cluster; close it
     */
    public static RedisCluster start() {
        for (int attempt = 1; ; attempt++) {
            RedisCluster cluster = new RedisCluster();
            try {
                cluster.launch();
                return cluster;
            } catch (IllegalStateException e) {
                cluster.close();
                if (attempt == START_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    @Override
    public List<RedisServer> servers() {
        return nodes.stream().map(Node::server).toList();
    }

    /**
     * The master that has the slot of a key.
     *
     * @param key with a hash tag or without
     * @return the node that all other nodes which answer send clients to
     */
    public RedisServer masterOf(String key) {
        int slot = SlotHash.getSlot(key);
        String owner = view().lines()
                .filter(line -> line.contains("master") && hasSlot(line, slot))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Nobody has slot " + slot + ":\n" + view()));
        return nodeOf(owner).server();
    }

    /**
     * The replica of a master.
     *
     * @param master a master
     * @return the server that copies it
     */
    public RedisServer replicaOf(RedisServer master) {
        String id = idOf(master);
        return view().lines()
                .map(line -> line.split(" "))
                .filter(fields -> fields[3].equals(id))
                .map(fields -> nodeOf(fields[0]).server())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No replica of " + id + ":\n" + view()));
    }

    /**
     * The name of a node in the cluster.
     *
     * @param server one of the servers
     * @return 40 hex digits
     */
    public String idOf(RedisServer server) {
        return nodes.stream()
                .filter(node -> node.server().port() == server.port())
                .map(Node::id)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Whether keys can be written while the slots of others have no master.
     *
     * @param wholeOnly as {@code cluster-require-full-coverage}
     */
    public void requireFullCoverage(boolean wholeOnly) {
        servers().forEach(server -> server.commands()
                .configSet("cluster-require-full-coverage", wholeOnly ? "yes" : "no"));
    }

    /**
     * Where the cluster is.
     *
     * @return as {@code spring.data.redis.cluster.nodes} takes it
     */
    public String addresses() {
        return servers().stream()
                .map(server -> server.host() + ":" + server.port())
                .collect(Collectors.joining(","));
    }

    /**
     * Whether all nodes run, and agree on their roles.
     *
     * @return false while a failover is under way, too
     */
    public boolean isHealthy() {
        return servers().stream().allMatch(RedisServer::answers)
                && servers().stream().allMatch(this::isHealthy);
    }

    @Override
    public void reset() {
        for (RedisServer server : servers()) {
            server.resume();
            if (!server.answers()) {
                server.restart();
            }
        }
        awaitHealth();
        requireFullCoverage(true);
        grantDefaultUser("reset", "on", "nopass", "~*", "&*", "+@all");
        for (RedisServer server : servers()) {
            if ("master".equals(server.info("replication").get("role"))) {
                server.commands().flushall();
            }
            server.commands().scriptFlush();
        }
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.server().close());
    }

    private void launch() {
        List<Address> addresses = IntStream.range(0, 2 * MASTERS)
                .mapToObj(i -> Address.of(Integer.toHexString(i + 10).repeat(40)))
                .toList();
        for (Address address : addresses) {
            EmbeddedRedisServer server = EmbeddedRedisServer.prepare(
                    address.port(),
                    address.arguments(
                            "--cluster-enabled",
                            "yes",
                            "--cluster-config-file",
                            STATE_FILE,
                            "--cluster-node-timeout",
                            "1000",
                            "--cluster-replica-validity-factor",
                            "0",
                            "--repl-diskless-sync-delay",
                            "0",
                            "--masteruser",
                            "fixture",
                            "--masterauth",
                            "any"));
            nodes.add(new Node(address.id(), server));
            write(server, stateFor(address, addresses));
            server.launch();
        }
        nodes.forEach(node -> ((EmbeddedRedisServer) node.server()).awaitReady());
        awaitHealth();
    }

    private static String stateFor(Address self, List<Address> all) {
        StringBuilder state = new StringBuilder();
        for (int i = 0; i < all.size(); i++) {
            Address node = all.get(i);
            boolean master = i < MASTERS;
            int shard = i % MASTERS;
            state.append(node.id())
                    .append(" 127.0.0.1:")
                    .append(node.port())
                    .append('@')
                    .append(node.busPort());
            state.append(node.equals(self) ? " myself," : " ").append(master ? "master" : "slave");
            state.append(' ')
                    .append(master ? "-" : all.get(shard).id())
                    .append(" 0 0 ")
                    .append(shard + 1);
            state.append(" connected")
                    .append(master ? " " + slotsOf(shard) : "")
                    .append('\n');
        }
        return state.append("vars currentEpoch ")
                .append(MASTERS)
                .append(" lastVoteEpoch 0\n")
                .toString();
    }

    private static String slotsOf(int shard) {
        int first = SlotHash.SLOT_COUNT * shard / MASTERS;
        int beyond = SlotHash.SLOT_COUNT * (shard + 1) / MASTERS;
        return first + "-" + (beyond - 1);
    }

    private static void write(EmbeddedRedisServer server, String state) {
        try {
            Files.writeString(server.directory().resolve(STATE_FILE), state);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write the state of a cluster node", e);
        }
    }

    private void awaitHealth() {
        if (!Patience.until(() -> servers().stream().allMatch(this::isHealthy))) {
            throw new IllegalStateException("The cluster does not get well:\n" + view()
                    + servers().stream().map(RedisServer::log).toList());
        }
    }

    private boolean isHealthy(RedisServer server) {
        Map<String, String> cluster = RawCommands.parseInfo(server.commands().clusterInfo());
        Map<String, String> replication = server.info("replication");
        String view = server.commands().clusterNodes();
        boolean master = "master".equals(replication.get("role"));
        return "ok".equals(cluster.get("cluster_state"))
                && Integer.toString(nodes.size()).equals(cluster.get("cluster_known_nodes"))
                && Integer.toString(MASTERS).equals(cluster.get("cluster_size"))
                && !view.contains("fail")
                && replicasIn(view) == nodes.size() - MASTERS
                && (master
                        ? "1".equals(replication.get("connected_slaves"))
                        : "up".equals(replication.get("master_link_status")));
    }

    /** A master that lost its slots is a replica in the view of another node only after a ping from it. */
    private static long replicasIn(String view) {
        return view.lines().filter(line -> line.contains("slave ")).count();
    }

    /** The cluster as one of the nodes that answer sees it. */
    private String view() {
        return servers().stream()
                .filter(RedisServer::answers)
                .findFirst()
                .map(server -> server.commands().clusterNodes())
                .orElse("no node answers");
    }

    private Node nodeOf(String id) {
        return nodes.stream().filter(node -> node.id().equals(id)).findFirst().orElseThrow();
    }

    private static boolean hasSlot(String line, int slot) {
        return line.lines()
                .flatMap(all -> Arrays.stream(all.split(" ")).skip(8))
                .filter(range -> !range.startsWith("["))
                .map(range -> range.split("-"))
                .anyMatch(range ->
                        Integer.parseInt(range[0]) <= slot && slot <= Integer.parseInt(range[range.length - 1]));
    }

    private record Address(String id, int port, int busPort) {

        /** Where servers before version 7 have their bus, whatever they are told. */
        private static final int BUS_AFTER_PORT = 10_000;

        static Address of(String id) {
            int port = FreePort.next();
            return new Address(id, port, RedisBinary.isBefore(7, 0) ? port + BUS_AFTER_PORT : FreePort.next());
        }

        String[] arguments(String... others) {
            return busPort == port + BUS_AFTER_PORT
                    ? others
                    : Stream.concat(Stream.of("--cluster-port", Integer.toString(busPort)), Stream.of(others))
                            .toArray(String[]::new);
        }
    }

    private record Node(String id, RedisServer server) {}
}
