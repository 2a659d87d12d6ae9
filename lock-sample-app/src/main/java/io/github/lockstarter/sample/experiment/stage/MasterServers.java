package io.github.lockstarter.sample.experiment.stage;

import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Locks on one master at a time: a server that stands alone, the one that sentinels name, or the one of a cluster that
 * has the slot of the lock.
 */
final class MasterServers implements LockServers {

    private static final Duration OUTAGE = Duration.ofMillis(300);
    private static final Duration PROMOTION = Duration.ofSeconds(20);

    private final Topology topology;
    private final List<EmbeddedRedis> servers;
    private final List<String> properties;
    private final RedisConsole console;

    /**
     * Where locks are kept.
     *
     * @param servers those with data, so without sentinels
     */
    MasterServers(Topology topology, List<EmbeddedRedis> servers, List<String> properties, RedisConsole console) {
        this.topology = topology;
        this.servers = List.copyOf(servers);
        this.properties = List.copyOf(properties);
        this.console = console;
    }

    @Override
    public List<String> properties() {
        return properties;
    }

    @Override
    public String restart(String key) {
        EmbeddedRedis master = master(key).orElseThrow(() -> noMaster(key));
        try {
            master.kill();
            SimulatedWork.lasting(OUTAGE);
        } finally {
            master.restart();
        }
        return "Redis " + master.address() + " was killed (-9) and started again with its append-only file";
    }

    @Override
    public String failOver(String key) {
        if (topology == Topology.STANDALONE) {
            throw new UnsupportedOperationException(
                    "A server that stands alone has no replica to fail over to. Choose the topology sentinel or cluster");
        }
        EmbeddedRedis before = master(key).orElseThrow(() -> noMaster(key));
        EmbeddedRedis after;
        try {
            before.kill();
            after = awaitMaster(key);
        } finally {
            before.restart();
        }
        if (topology == Topology.SENTINEL) {
            console.ask(before.port(), redis -> redis.replicaof("127.0.0.1", after.port()));
        }
        return "Redis " + before.address() + " was killed (-9); " + after.address() + " was promoted";
    }

    @Override
    public void delete(String key) {
        EmbeddedRedis master = master(key).orElseThrow(() -> noMaster(key));
        console.ask(master.port(), redis -> redis.del(LockKey.of(key)));
    }

    private EmbeddedRedis awaitMaster(String key) {
        long deadline = System.nanoTime() + PROMOTION.toNanos();
        Optional<EmbeddedRedis> master = master(key);
        while (master.isEmpty()) {
            if (System.nanoTime() > deadline) {
                throw noMaster(key);
            }
            SimulatedWork.lasting(OUTAGE);
            master = master(key);
        }
        return master.get();
    }

    private Optional<EmbeddedRedis> master(String key) {
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

    private static RedisException noMaster(String key) {
        return new RedisException("No server is master of lock '" + key + "' just now");
    }
}
