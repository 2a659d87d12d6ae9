package io.github.lockstarter.sample.redis;

import io.github.lockstarter.sample.process.Loopback;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a redis-server is started as.
 *
 * @param sentinel whether it is a sentinel and keeps no data
 * @param directives lines of its configuration beside port and directory
 * @param files further files in its directory, by name
 */
public record RedisSetup(boolean sentinel, List<String> directives, Map<String, String> files) {

    private static final String STATE_FILE = "nodes.conf";

    /** Checks nothing; copies. */
    public RedisSetup {
        directives = List.copyOf(directives);
        files = Map.copyOf(files);
    }

    /**
     * Forgets all with its end.
     *
     * @return without persistence
     */
    public static RedisSetup inMemory() {
        return new RedisSetup(false, List.of("save \"\"", "appendonly no"), Map.of());
    }

    /**
     * Keeps all that it has acknowledged, over a {@code kill -9} too.
     *
     * @return with an append-only file that is synced with each write
     */
    public static RedisSetup durable() {
        return new RedisSetup(false, List.of("save \"\"", "appendonly yes", "appendfsync always"), Map.of());
    }

    /**
     * Watches a master.
     *
     * @param master what it calls the master
     * @param port the master's port
     * @param quorum how many sentinels have to find it down
     * @return a sentinel that promotes a replica about a second after the master has gone silent
     */
    public static RedisSetup sentinel(String master, int port, int quorum) {
        return new RedisSetup(
                true,
                List.of(
                        "sentinel monitor " + master + " " + Loopback.HOST + " " + port + " " + quorum,
                        "sentinel down-after-milliseconds " + master + " 1000",
                        "sentinel failover-timeout " + master + " 5000"),
                Map.of());
    }

    /**
     * This setup as a copy of another server.
     *
     * @param masterPort the other server's port
     * @return with replication
     */
    public RedisSetup replicaOf(int masterPort) {
        return with("replicaof " + Loopback.HOST + " " + masterPort, "repl-diskless-sync-delay 0");
    }

    /**
     * This setup as a node of a cluster.
     *
     * @param busPort where the other nodes talk to it
     * @param state what it knows of the cluster, as it would have written it itself
     * @return with cluster mode
     */
    public RedisSetup clusterNode(int busPort, String state) {
        RedisSetup node = with(
                "cluster-enabled yes",
                "cluster-config-file " + STATE_FILE,
                "cluster-port " + busPort,
                "cluster-node-timeout 1000",
                "cluster-replica-validity-factor 0",
                "repl-diskless-sync-delay 0");
        return new RedisSetup(node.sentinel, node.directives, Map.of(STATE_FILE, state));
    }

    private RedisSetup with(String... more) {
        List<String> all = new ArrayList<>(directives);
        all.addAll(List.of(more));
        return new RedisSetup(sentinel, all, files);
    }
}
