package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Servers of which one at a time is the master of a lock, and how another one takes its place: sentinels or the nodes
 * of a cluster promote a replica by themselves; static replicas wait for an operator, whose commands are sent here.
 */
final class Replication {

    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration PROMOTION = Duration.ofSeconds(20);
    private static final Pattern OFFSET = Pattern.compile("slave_repl_offset:(\\d+)");

    private final Topology topology;
    private final List<EmbeddedRedis> servers;
    private final List<EmbeddedRedis> sentinels;
    private final RedisConsole console;

    /**
     * Servers that replicate, or one that stands alone.
     *
     * @param servers those with data
     * @param sentinels those that watch them; none without Sentinel
     */
    Replication(Topology topology, List<EmbeddedRedis> servers, List<EmbeddedRedis> sentinels, RedisConsole console) {
        this.topology = topology;
        this.servers = List.copyOf(servers);
        this.sentinels = List.copyOf(sentinels);
        this.console = console;
    }

    Topology topology() {
        return topology;
    }

    /**
     * The master of a lock.
     *
     * @throws RedisException when there is none just now
     */
    EmbeddedRedis master(String key) {
        return find(key).orElseThrow(() -> noMaster(key));
    }

    /**
     * Kills the master of a lock, and waits until another server has taken over so far that it could be killed, too.
     *
     * @return the new master
     * @throws RedisException when none takes over
     */
    EmbeddedRedis replace(EmbeddedRedis master, String key) {
        master.kill();
        if (topology == Topology.MASTER_REPLICA) {
            promoteByHand(key);
        }
        long deadline = System.nanoTime() + PROMOTION.toNanos();
        Optional<EmbeddedRedis> next = find(key);
        while (next.isEmpty() || !isKnown(next.get()) || !isFollowed(next.get())) {
            if (System.nanoTime() > deadline) {
                throw noMaster(key);
            }
            SimulatedWork.lasting(LOOK);
            next = find(key);
        }
        return next.get();
    }

    /** Starts a killed server as a replica of the new master. A node of a cluster finds out by itself. */
    void rejoin(EmbeddedRedis killed, EmbeddedRedis master) {
        if (topology == Topology.CLUSTER) {
            killed.restart();
        } else {
            killed.restartAsReplicaOf(master.port());
        }
    }

    /** Waits until a server has the data of its master. */
    void awaitCopy(EmbeddedRedis replica) {
        Readiness.await("the replica at " + replica.address() + " follows", () -> info(replica)
                .contains("master_link_status:up"));
    }

    /** What an operator does: the replica that has received most becomes the master, and the others follow it. */
    private void promoteByHand(String key) {
        List<EmbeddedRedis> replicas =
                servers.stream().filter(server -> offset(server) >= 0).toList();
        EmbeddedRedis chosen =
                replicas.stream().max(Comparator.comparingLong(this::offset)).orElseThrow(() -> noMaster(key));
        console.ask(chosen.port(), redis -> {
            redis.replicaofNoOne();
            return redis.configRewrite();
        });
        replicas.stream().filter(replica -> replica != chosen).forEach(replica -> follow(replica, chosen));
    }

    private void follow(EmbeddedRedis replica, EmbeddedRedis master) {
        console.ask(replica.port(), redis -> {
            redis.replicaof(Loopback.HOST, master.port());
            return redis.configRewrite();
        });
    }

    /** How much a replica has received; -1 of a server that is none, or does not answer. */
    private long offset(EmbeddedRedis server) {
        try {
            Matcher offset = OFFSET.matcher(info(server));
            return offset.find() ? Long.parseLong(offset.group(1)) : -1;
        } catch (RedisException away) {
            return -1;
        }
    }

    /** To all sentinels: before that, they do not look whether the new master is alive. */
    private boolean isKnown(EmbeddedRedis master) {
        return sentinels.stream()
                .allMatch(sentinel -> console.ask(
                        sentinel.port(), redis -> redis.info("sentinel").contains("address=" + master.address())));
    }

    /** By all replicas that live, so that one of them has its data. The other masters of a cluster never do. */
    private boolean isFollowed(EmbeddedRedis master) {
        return topology == Topology.CLUSTER
                || servers.stream()
                        .filter(server -> server != master)
                        .allMatch(server -> followsOrIsDown(server, master));
    }

    private boolean followsOrIsDown(EmbeddedRedis server, EmbeddedRedis master) {
        try {
            String info = info(server);
            return info.contains("master_port:" + master.port()) && info.contains("master_link_status:up");
        } catch (RedisException down) {
            return true;
        }
    }

    private Optional<EmbeddedRedis> find(String key) {
        return servers.stream().filter(server -> isMaster(server, key)).findFirst();
    }

    /** A node of a cluster that has not the slot answers with an error. */
    private boolean isMaster(EmbeddedRedis server, String key) {
        try {
            return console.ask(server.port(), redis -> {
                redis.exists(LockKey.of(key));
                return redis.info("replication").contains("role:master");
            });
        } catch (RedisException notThere) {
            return false;
        }
    }

    private String info(EmbeddedRedis server) {
        return console.ask(server.port(), redis -> redis.info("replication"));
    }

    private static RedisException noMaster(String key) {
        return new RedisException("No server is master of lock '" + key + "' just now");
    }
}
