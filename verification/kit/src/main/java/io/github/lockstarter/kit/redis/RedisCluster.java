package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.process.Polling;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Three masters with one replica each. Nodes start with a prepared state file that contains all nodes, roles and
 * slots, which is much faster than {@code CLUSTER MEET}.
 */
public final class RedisCluster implements RedisServerGroup {

    private static final int MASTERS = 3;
    private static final int START_ATTEMPTS = 3;
    private static final String STATE_FILE = "nodes.conf";

    private final List<Node> nodes = new ArrayList<>();

    private RedisCluster() {}

    /** Starts the nodes and waits until the cluster accepts commands; close it. */
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

    /** The master of a key's slot. */
    public RedisServer masterOf(String key) {
        int slot = SlotHash.getSlot(key);
        String owner = view().lines()
                .filter(line -> line.contains("master") && hasSlot(line, slot))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Nobody has slot " + slot + ":\n" + view()));
        return nodeOf(owner).server();
    }

    public RedisServer replicaOf(RedisServer master) {
        String id = idOf(master);
        return view().lines()
                .map(line -> line.split(" "))
                .filter(fields -> fields[3].equals(id))
                .map(fields -> nodeOf(fields[0]).server())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No replica of " + id + ":\n" + view()));
    }

    /** The node ID of a server: 40 hex digits. */
    public String idOf(RedisServer server) {
        return nodes.stream()
                .filter(node -> node.server().port() == server.port())
                .map(Node::id)
                .findFirst()
                .orElseThrow();
    }

    /** Sets {@code cluster-require-full-coverage}: whether a slot without a master stops all others. */
    public void requireFullCoverage(boolean required) {
        servers().forEach(server -> server.commands()
                .configSet("cluster-require-full-coverage", required ? "yes" : "no"));
    }

    /** Whether all nodes run and agree on their roles; false during a failover. */
    public boolean isHealthy() {
        return servers().stream().allMatch(RedisServer::answers)
                && servers().stream().allMatch(this::isHealthy);
    }

    @Override
    public void reset() {
        servers().forEach(RedisServer::revive);
        awaitHealth();
        requireFullCoverage(true);
        for (RedisServer server : servers()) {
            server.removeRestrictions();
            if (server.isMaster()) {
                server.commands().flushall();
            }
            server.commands().scriptFlush();
        }
    }

    private void launch() {
        List<Address> addresses =
                IntStream.range(0, 2 * MASTERS).mapToObj(Address::of).toList();
        for (Address address : addresses) {
            RedisServer server = RedisServer.prepare(address.port(), address.arguments());
            nodes.add(new Node(address.id(), server));
            server.writeFile(STATE_FILE, stateFor(address, addresses));
            server.launch();
        }
        servers().forEach(RedisServer::awaitReady);
        awaitHealth();
    }

    private static String stateFor(Address self, List<Address> all) {
        return all.stream()
                .map(node -> node.line(node.equals(self) ? "myself," : "", all.get(node.shard())))
                .collect(Collectors.joining("", "", "vars currentEpoch " + MASTERS + " lastVoteEpoch 0\n"));
    }

    private void awaitHealth() {
        if (!Polling.until(() -> servers().stream().allMatch(this::isHealthy))) {
            throw new IllegalStateException("The cluster does not get well:\n" + view()
                    + servers().stream().map(RedisServer::log).toList());
        }
    }

    private boolean isHealthy(RedisServer server) {
        try {
            return agrees(server);
        } catch (RedisException e) { // its connection is being opened again
            return false;
        }
    }

    private boolean agrees(RedisServer server) {
        Map<String, String> cluster = RedisServer.fields(server.commands().clusterInfo());
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

    /** Other nodes see a master that lost its slots as a replica only after a ping from it. */
    private static long replicasIn(String view) {
        return view.lines().filter(line -> line.contains("slave ")).count();
    }

    /** {@code CLUSTER NODES} of any node that answers. */
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

    /**
     * A node in the state file.
     *
     * @param index masters first, then their replicas in the same order
     */
    private record Address(int index, int port, int busPort) {

        /** Fixed before version 7. */
        private static final int BUS_AFTER_PORT = 10_000;

        static Address of(int index) {
            int port = FreePort.next();
            return new Address(index, port, RedisServer.isBefore(7, 0) ? port + BUS_AFTER_PORT : FreePort.next());
        }

        String id() {
            return Integer.toHexString(index + 10).repeat(40);
        }

        boolean isMaster() {
            return index < MASTERS;
        }

        int shard() {
            return index % MASTERS;
        }

        /** Line about this node in the state file. */
        String line(String myself, Address master) {
            int first = SlotHash.SLOT_COUNT * shard() / MASTERS;
            int beyond = SlotHash.SLOT_COUNT * (shard() + 1) / MASTERS;
            return "%s 127.0.0.1:%d@%d %s%s 0 0 %d connected%s\n"
                    .formatted(
                            id(),
                            port,
                            busPort,
                            myself,
                            isMaster() ? "master -" : "slave " + master.id(),
                            shard() + 1,
                            isMaster() ? " " + first + '-' + (beyond - 1) : "");
        }

        String[] arguments() {
            String common = "--cluster-enabled yes --cluster-config-file " + STATE_FILE
                    + " --cluster-node-timeout 1000 --cluster-replica-validity-factor 0";
            String bus = busPort == port + BUS_AFTER_PORT ? "" : " --cluster-port " + busPort;
            return Stream.concat(Stream.of((common + bus).split(" ")), FixtureClient.replicaArguments())
                    .toArray(String[]::new);
        }
    }

    private record Node(String id, RedisServer server) {}
}
