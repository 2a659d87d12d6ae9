package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import io.github.lockstarter.sample.redis.RedisSetup;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Starts the servers of data and locks. */
final class ServerFactory {

    private static final String MASTER = "locks";
    private static final int REPLICAS = 3;
    private static final int SENTINELS = 3;
    private static final int QUORUM_SERVERS = 5;
    private static final int ATTEMPTS = 3;

    private final Belongings belongings;
    private final RedisConsole console;

    ServerFactory(Belongings belongings, RedisConsole console) {
        this.belongings = belongings;
        this.console = console;
    }

    /** One server that keeps what it has acknowledged. */
    EmbeddedRedis store() {
        return start(RedisSetup.durable());
    }

    /**
     * The servers of the locks of v3.
     *
     * @param plan what is to be set up
     * @param store the server of the data, which has the locks, too, where they are on one Redis
     * @param quorum the servers of the locks of v4
     */
    LockServers locks(StagePlan plan, EmbeddedRedis store, LockServers quorum) {
        return switch (plan.backend()) {
            case REDIS -> redis(plan.topology(), store);
            case REDLOCK -> new RoutedServers(Backend.REDLOCK, quorum);
            case JDBC, ZOOKEEPER, ETCD ->
                new RoutedServers(plan.backend(), StoreServer.start(plan.backend(), belongings));
        };
    }

    private LockServers redis(Topology topology, EmbeddedRedis store) {
        return switch (topology) {
            case STANDALONE ->
                masters(
                        new Replication(topology, List.of(store), List.of(), console),
                        List.of("spring.data.redis.host=" + Loopback.HOST, "spring.data.redis.port=" + store.port()));
            case MASTER_REPLICA -> staticReplicas();
            case SENTINEL -> sentinel();
            case CLUSTER -> cluster();
        };
    }

    /** The servers of the locks of v4. */
    LockServers quorum() {
        return new QuorumServers(
                IntStream.range(0, QUORUM_SERVERS)
                        .mapToObj(i -> start(RedisSetup.inMemory()))
                        .toList(),
                console);
    }

    private LockServers staticReplicas() {
        List<EmbeddedRedis> servers = masterAndReplicas();
        return masters(
                new Replication(Topology.MASTER_REPLICA, servers, List.of(), console),
                List.of("spring.data.redis.masterreplica.nodes=" + addresses(servers)));
    }

    private LockServers sentinel() {
        List<EmbeddedRedis> servers = masterAndReplicas();
        RedisSetup setup = RedisSetup.sentinel(MASTER, servers.get(0).port(), SENTINELS / 2 + 1);
        List<EmbeddedRedis> sentinels =
                IntStream.range(0, SENTINELS).mapToObj(i -> start(setup)).toList();
        String known = "slaves=" + REPLICAS + ",sentinels=" + SENTINELS;
        Readiness.await("the sentinels know each other", () -> sentinels.stream()
                .allMatch(sentinel -> console.ask(
                        sentinel.port(), redis -> redis.info("sentinel").contains(known))));
        return masters(
                new Replication(Topology.SENTINEL, servers, sentinels, console),
                List.of(
                        "spring.data.redis.sentinel.master=" + MASTER,
                        "spring.data.redis.sentinel.nodes=" + addresses(sentinels)));
    }

    private LockServers cluster() {
        List<EmbeddedRedis> nodes = startNodes();
        Readiness.await("the cluster is well", () -> nodes.stream()
                .allMatch(node ->
                        console.ask(node.port(), redis -> redis.clusterInfo().contains("cluster_state:ok"))));
        Readiness.await("the replicas of the cluster follow", () -> nodes.stream()
                .map(this::info)
                .allMatch(info -> info.contains("connected_slaves:1") || info.contains("master_link_status:up")));
        return masters(
                new Replication(Topology.CLUSTER, nodes, List.of(), console),
                List.of("spring.data.redis.cluster.nodes=" + addresses(nodes)));
    }

    /** The master is the first. */
    private List<EmbeddedRedis> masterAndReplicas() {
        EmbeddedRedis master = start(RedisSetup.durable());
        RedisSetup replica = RedisSetup.durable().replicaOf(master.port());
        List<EmbeddedRedis> replicas =
                IntStream.range(0, REPLICAS).mapToObj(i -> start(replica)).toList();
        Readiness.await("the replicas follow", () -> info(master).contains("connected_slaves:" + REPLICAS));
        return Stream.concat(Stream.of(master), replicas.stream()).toList();
    }

    private LockServers masters(Replication replication, List<String> properties) {
        return new MasterServers(replication, properties, console);
    }

    private EmbeddedRedis start(RedisSetup setup) {
        return EmbeddedRedis.start(setup, belongings::add);
    }

    /** All on other ports when somebody else was faster to use one of them: each node knows the ports of all. */
    private List<EmbeddedRedis> startNodes() {
        for (int attempt = 1; ; attempt++) {
            List<EmbeddedRedis> nodes = new ArrayList<>();
            try {
                ClusterLayout layout = ClusterLayout.onFreePorts();
                for (ClusterLayout.Node node : layout.nodes()) {
                    RedisSetup setup = RedisSetup.durable().clusterNode(node.busPort(), layout.stateOf(node));
                    nodes.add(EmbeddedRedis.start(node.port(), setup, belongings::add));
                }
                return nodes;
            } catch (IllegalStateException failure) {
                if (attempt == ATTEMPTS || !EmbeddedRedis.isPortTaken(failure)) {
                    throw failure;
                }
                nodes.forEach(EmbeddedRedis::close);
            }
        }
    }

    private String info(EmbeddedRedis server) {
        return console.ask(server.port(), redis -> redis.info("replication"));
    }

    private static String addresses(List<EmbeddedRedis> servers) {
        return servers.stream().map(EmbeddedRedis::address).collect(Collectors.joining(","));
    }
}
