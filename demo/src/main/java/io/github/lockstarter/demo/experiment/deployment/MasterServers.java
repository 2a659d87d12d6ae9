package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.process.Closer;
import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Redis servers with one master per lock. Sentinels and cluster nodes promote replicas on their own; for static
 * replicas, this class sends the commands of an operator.
 */
class MasterServers implements LockServers {

    private static final Duration PROMOTION = Duration.ofSeconds(20);
    private static final double NANOS_PER_SECOND = 1e9;

    private final Function<String, RedisServer> masters;
    private final BooleanSupplier health;
    private final List<String> properties;

    /**
     * @param masters returns the master of a lock; throws {@link RedisException} or {@link IllegalStateException} if
     *     there is none
     * @param health whether all servers run and the replicas are in sync, so that the next master can be killed
     * @param properties for the instances
     */
    private MasterServers(Function<String, RedisServer> masters, BooleanSupplier health, String... properties) {
        this.masters = masters;
        this.health = health;
        this.properties = List.of(properties);
    }

    /** Starts servers for a topology, except for {@link LockTopology#STANDALONE}, which uses the given one. */
    static MasterServers start(LockTopology topology, RedisServer standalone, Closer closer) {
        return switch (topology) {
            case STANDALONE -> of(standalone);
            case MASTER_REPLICA -> of(closer.add(RedisReplication.start(2)));
            case SENTINEL -> of(closer.add(RedisSentinels.start()));
            case CLUSTER -> of(closer.add(RedisCluster.start()));
        };
    }

    /** A server without replicas. */
    static MasterServers of(RedisServer server) {
        String[] properties = {"spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port()};
        return new MasterServers(key -> server, server::answers, properties) {

            @Override
            public void requireReplicas() {
                throw new UnsupportedOperationException("A server that stands alone has no replica to fail over to."
                        + " Choose the topology master-replica, sentinel or cluster");
            }
        };
    }

    private static MasterServers of(RedisReplication replication) {
        String property = "spring.data.redis.masterreplica.nodes=" + replication.addresses();
        return new MasterServers(key -> replication.master(), replication::isInSync, property) {

            /** Promotes the replica with the most data, as an operator would; the others follow it. */
            @Override
            void promote(RedisServer killed) {
                List<RedisServer> replicas = new ArrayList<>(replication.servers());
                replicas.removeIf(server -> !server.answers());
                RedisServer chosen = Collections.max(replicas, Comparator.comparingLong(MasterServers::offset));
                replicas.remove(chosen);
                chosen.promote();
                replicas.forEach(replica -> replica.follow(chosen));
            }
        };
    }

    private static long offset(RedisServer replica) {
        return Long.parseLong(replica.info("replication").getOrDefault("slave_repl_offset", "-1"));
    }

    private static MasterServers of(RedisSentinels sentinels) {
        return new MasterServers(
                key -> sentinels.master(),
                sentinels::isHealthy,
                "spring.data.redis.sentinel.master=" + RedisSentinels.MASTER,
                "spring.data.redis.sentinel.nodes=" + sentinels.nodes()) {

            /** All sentinels must agree before the killed server restarts. */
            @Override
            void promote(RedisServer killed) {
                sentinels.awaitPromotion(killed);
            }
        };
    }

    private static MasterServers of(RedisCluster cluster) {
        String property = "spring.data.redis.cluster.nodes=" + cluster.addresses();
        return new MasterServers(key -> cluster.masterOf(storedKey(key)), cluster::isHealthy, property) {

            /** Cluster nodes agree on their roles on their own. */
            @Override
            void rejoin(RedisServer killed, RedisServer successor) {
                killed.restart();
            }
        };
    }

    /** Promotes a replica, if the servers do not do so on their own. */
    void promote(RedisServer killed) {}

    /** Restarts a killed server as a replica of its successor. */
    void rejoin(RedisServer killed, RedisServer successor) {
        killed.restartAsReplicaOf(successor);
    }

    @Override
    public final List<String> properties() {
        return properties;
    }

    @Override
    public final String restart(String key) {
        RedisServer master = master(key);
        LockServers.killAndStart(List.of(master));
        return "Redis " + master.address() + " was killed (-9) and started again";
    }

    @Override
    public void requireReplicas() {}

    @Override
    public final String failOver(String key, int times) {
        requireReplicas();
        List<String> kills = new ArrayList<>();
        long first = System.nanoTime();
        while (kills.size() < times) {
            RedisServer master = master(key);
            String when = kills.isEmpty()
                    ? ""
                    : String.format(Locale.ROOT, " %.1f s later", (System.nanoTime() - first) / NANOS_PER_SECOND);
            kills.add(master.address() + " was killed (-9)" + when + ", and "
                    + replace(key, master).address() + " was promoted");
        }
        return "Redis " + String.join("; ", kills);
    }

    /** Kills a master and restarts it as a replica of its successor, or unchanged if there is none. */
    private RedisServer replace(String key, RedisServer killed) {
        List<RedisServer> promoted = new ArrayList<>(1);
        killed.kill();
        try {
            promote(killed);
            await("No server took over from " + killed.address(), () -> {
                RedisServer now = master(key);
                return now != killed && promoted.add(now);
            });
        } finally {
            if (promoted.isEmpty()) {
                killed.restart();
            } else {
                rejoin(killed, promoted.get(0));
            }
        }
        RedisServer successor = promoted.get(0);
        await(successor.address() + " was promoted, but the other servers were not in sync with it", health);
        return successor;
    }

    /** Role changes close connections, and a cluster may briefly have no master. */
    private static void await(String failure, BooleanSupplier condition) {
        boolean reached = Polling.until(
                () -> {
                    try {
                        return condition.getAsBoolean();
                    } catch (RedisException | IllegalStateException notYet) {
                        return false;
                    }
                },
                PROMOTION);
        if (!reached) {
            throw new RedisException(failure + " within " + PROMOTION.toSeconds() + " s");
        }
    }

    @Override
    public final void delete(String key) {
        master(key).commands().del(storedKey(key));
    }

    private RedisServer master(String key) {
        return masters.apply(key);
    }

    private static String storedKey(String key) {
        return "lock:{" + key + "}";
    }
}
