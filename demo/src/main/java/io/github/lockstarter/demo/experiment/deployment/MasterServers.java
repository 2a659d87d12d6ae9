package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.kit.process.Patience;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Redis servers of which one at a time is the master of a lock, and how another one takes its place: sentinels or the
 * nodes of a cluster promote a replica by themselves; static replicas wait for an operator, whose commands are sent
 * here.
 */
abstract class MasterServers implements LockServers {

    private static final Duration PROMOTION = Duration.ofSeconds(20);
    private static final double NANOS_PER_SECOND = 1e9;

    private final AutoCloseable servers;
    private final List<String> properties;

    private MasterServers(AutoCloseable servers, String... properties) {
        this.servers = servers;
        this.properties = List.of(properties);
    }

    /** A server that stands alone. */
    static MasterServers of(RedisServer server) {
        return new Standalone(server);
    }

    /** Starts servers in a topology; those of {@link Topology#STANDALONE} are the given one. */
    static MasterServers start(Topology topology, RedisServer standalone) {
        return switch (topology) {
            case STANDALONE -> of(standalone);
            case MASTER_REPLICA -> new StaticReplicas(RedisReplication.start(2));
            case SENTINEL -> new Sentinel(RedisSentinels.start());
            case CLUSTER -> new Cluster(RedisCluster.start());
        };
    }

    /** The master of a lock. Throws a {@link RedisException} or {@link IllegalStateException} when there is none. */
    abstract RedisServer master(String key);

    /** Called before the next master is killed, too, with the one that was killed before. */
    void prepareNext(RedisServer killed) {}

    /** Sees to it that another server takes over from a killed one. */
    abstract void promote(RedisServer killed);

    /** Starts a killed server again, as a replica of the present master. */
    void rejoin(RedisServer killed, RedisServer master) {
        killed.restartAsReplicaOf(master);
    }

    /** Whether a new master could be killed, too. */
    abstract boolean isSettled(RedisServer master);

    @Override
    public final List<String> properties() {
        return properties;
    }

    @Override
    public final String restart(String key) {
        RedisServer master = master(key);
        Outage.of(List.of(master));
        return "Redis " + master.address() + " was killed (-9) and started again";
    }

    @Override
    public void requireReplicas() {}

    @Override
    public final String failOver(String key, int times) {
        requireReplicas();
        List<RedisServer> masters = new ArrayList<>(List.of(master(key)));
        List<String> told = new ArrayList<>();
        long first = System.nanoTime();
        try {
            while (told.size() < times) {
                told.add(failOverOnce(key, masters, first));
            }
        } finally {
            rejoinEach(masters);
        }
        return "Redis " + String.join("; ", told);
    }

    private String failOverOnce(String key, List<RedisServer> masters, long first) {
        RedisServer before = masters.get(masters.size() - 1);
        if (masters.size() > 1) {
            prepareNext(masters.get(masters.size() - 2));
        }
        String when = masters.size() > 1
                ? String.format(Locale.ROOT, " %.1f s later", (System.nanoTime() - first) / NANOS_PER_SECOND)
                : "";
        before.kill();
        promote(before);
        RedisServer after = successor(before, key);
        masters.add(after);
        return before.address() + " was killed (-9)" + when + ", and " + after.address() + " was promoted";
    }

    private RedisServer successor(RedisServer before, String key) {
        List<RedisServer> found = new ArrayList<>();
        boolean settled = Patience.until(
                () -> {
                    found.clear();
                    try {
                        found.add(master(key));
                        return found.get(0) != before && isSettled(found.get(0));
                    } catch (RedisException | IllegalStateException notYet) {
                        return false;
                    }
                },
                PROMOTION);
        if (!settled) {
            throw new RedisException("No server took over lock '" + key + "'");
        }
        return found.get(0);
    }

    /** All but the newest, also when none was promoted. One that does not come back keeps no other from coming back. */
    private void rejoinEach(List<RedisServer> masters) {
        RedisServer newest = masters.get(masters.size() - 1);
        RuntimeException failure = null;
        for (RedisServer server : masters) {
            try {
                if (!server.answers()) {
                    if (server == newest) {
                        server.restart();
                    } else {
                        rejoin(server, newest);
                    }
                }
            } catch (RuntimeException notBack) {
                failure = notBack;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public final void delete(String key) {
        master(key).commands().del("lock:{" + key + "}");
    }

    @Override
    public final void close() {
        try {
            servers.close();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static final class Standalone extends MasterServers {

        private final RedisServer server;

        Standalone(RedisServer server) {
            super(() -> {}, "spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port());
            this.server = server;
        }

        @Override
        RedisServer master(String key) {
            return server;
        }

        @Override
        public void requireReplicas() {
            throw new UnsupportedOperationException("A server that stands alone has no replica to fail over to."
                    + " Choose the topology master-replica, sentinel or cluster");
        }

        @Override
        void promote(RedisServer killed) {
            requireReplicas();
        }

        @Override
        boolean isSettled(RedisServer master) {
            return true;
        }
    }

    private static final class StaticReplicas extends MasterServers {

        private final RedisReplication replication;

        StaticReplicas(RedisReplication replication) {
            super(replication, "spring.data.redis.masterreplica.nodes=" + replication.addresses());
            this.replication = replication;
        }

        @Override
        RedisServer master(String key) {
            return replication.master();
        }

        /** As an operator does: the replica that has received most becomes the master, and the others follow it. */
        @Override
        void promote(RedisServer killed) {
            List<RedisServer> replicas =
                    replication.servers().stream().filter(RedisServer::answers).toList();
            RedisServer chosen = replicas.stream()
                    .max(Comparator.comparingLong(StaticReplicas::offset))
                    .orElseThrow(() -> new IllegalStateException("No replica answers"));
            chosen.promote();
            replicas.stream().filter(replica -> replica != chosen).forEach(replica -> replica.follow(chosen));
        }

        private static long offset(RedisServer replica) {
            return Long.parseLong(replica.info("replication").getOrDefault("slave_repl_offset", "-1"));
        }

        @Override
        boolean isSettled(RedisServer master) {
            return isFollowed(master, replication.servers());
        }
    }

    private static final class Sentinel extends MasterServers {

        private final RedisSentinels sentinels;

        Sentinel(RedisSentinels sentinels) {
            super(
                    sentinels,
                    "spring.data.redis.sentinel.master=" + RedisSentinels.MASTER,
                    "spring.data.redis.sentinel.nodes=" + sentinels.nodes());
            this.sentinels = sentinels;
        }

        @Override
        RedisServer master(String key) {
            return sentinels.master();
        }

        @Override
        void promote(RedisServer killed) {
            sentinels.awaitPromotion(killed);
        }

        /** As a master also after a restart. */
        @Override
        boolean isSettled(RedisServer master) {
            if (!master.isMaster() || !isFollowed(master, sentinels.servers())) {
                return false;
            }
            master.promote();
            return true;
        }
    }

    private static final class Cluster extends MasterServers {

        private final RedisCluster cluster;

        Cluster(RedisCluster cluster) {
            super(cluster, "spring.data.redis.cluster.nodes=" + cluster.addresses());
            this.cluster = cluster;
        }

        @Override
        RedisServer master(String key) {
            return cluster.masterOf("lock:{" + key + "}");
        }

        /** A shard has one replica: the former master is the next one to take over, once it has the data. */
        @Override
        void prepareNext(RedisServer killed) {
            killed.restart();
            Patience.until(() -> "up".equals(killed.info("replication").get("master_link_status")));
        }

        /** The nodes promote a replica by themselves. */
        @Override
        void promote(RedisServer killed) {}

        @Override
        void rejoin(RedisServer killed, RedisServer master) {
            killed.restart();
        }

        @Override
        boolean isSettled(RedisServer master) {
            return master.answers() && master.isMaster();
        }
    }

    /** By all other servers that live, so that one of them has its data. */
    private static boolean isFollowed(RedisServer master, List<RedisServer> servers) {
        return servers.stream()
                .filter(server -> server != master && server.answers())
                .map(server -> server.info("replication"))
                .allMatch(state -> Integer.toString(master.port()).equals(state.get("master_port"))
                        && "up".equals(state.get("master_link_status")));
    }
}
