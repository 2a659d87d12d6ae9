package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.experiment.stage.Belongings;
import io.github.lockstarter.demo.experiment.stage.Readiness;
import io.github.lockstarter.demo.experiment.stage.RedisConsole;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import io.github.lockstarter.sample.redis.RedisSetup;
import io.lettuce.core.KillArgs;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A master, replicas that follow it asynchronously, and a sentinel that promotes one when the master is gone. */
final class ReplicatedServers extends ExhibitServers {

    private static final String MASTER = "gallery";

    private final List<EmbeddedRedis> replicas = new ArrayList<>();
    private final int count;
    private final EmbeddedRedis sentinel;
    private EmbeddedRedis master;

    ReplicatedServers(RedisConsole console, Belongings owner, int count) {
        super(console, owner);
        this.count = count;
        master = start(RedisSetup.inMemory());
        RedisSetup replica = RedisSetup.inMemory().replicaOf(master.port());
        IntStream.range(0, count).forEach(i -> replicas.add(start(replica)));
        awaitReplicas();
        sentinel = start(new RedisSetup(
                true,
                List.of(
                        "sentinel monitor " + MASTER + " " + Loopback.HOST + " " + master.port() + " 1",
                        "sentinel down-after-milliseconds " + MASTER + " 600",
                        "sentinel failover-timeout " + MASTER + " 2000"),
                Map.of()));
        awaitSentinel();
    }

    @Override
    List<Integer> ports(int part) {
        return List.of(master.port());
    }

    /** A failover takes longer than the default take-over time, so the lease decides. */
    @Override
    List<String> properties(int part) {
        return List.of(
                "spring.data.redis.sentinel.master=" + MASTER,
                "spring.data.redis.sentinel.nodes=" + sentinel.address(),
                "distributed-lock.lease=4s",
                "distributed-lock.max-lease=4s",
                "distributed-lock.redis.command-timeout=500ms",
                "distributed-lock.crash-takeover=0");
    }

    /** Stopped replicas cannot connect again, so the master has nobody to send its writes to. */
    @Override
    void cutReplicasOff() {
        replicas.forEach(replica -> replica.signal("STOP"));
        ask(master.port(), redis -> redis.clientKill(KillArgs.Builder.typeSlave()));
    }

    @Override
    String failOver() {
        EmbeddedRedis old = master;
        old.kill();
        replicas.forEach(replica -> replica.signal("CONT"));
        Readiness.await("the sentinel promotes a replica", this::isPromoted);
        master = replicas.stream().filter(this::isMaster).findFirst().orElseThrow();
        replicas.remove(master);
        Readiness.await("the sentinel names the new master", () -> ask(sentinel.port(), redis -> redis.info("sentinel"))
                .contains("address=" + master.address()));
        awaitReplicas();
        return "The master is killed; a replica without the lock is promoted";
    }

    @Override
    boolean isReusable() {
        return false;
    }

    /**
     * Tells the sentinel to fail over, which needs no time then to notice. It refuses while it knows of no good
     * replica, and by itself would not try again for several seconds.
     */
    private boolean isPromoted() {
        if (replicas.stream().anyMatch(this::isMaster)) {
            return true;
        }
        askOnce(
                sentinel.port(),
                redis -> redis.dispatch(
                        CommandType.SENTINEL,
                        new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8).add("FAILOVER").add(MASTER)));
        return false;
    }

    private boolean isMaster(EmbeddedRedis server) {
        return info(server).contains("role:master");
    }

    private void awaitReplicas() {
        int port = master.port();
        Readiness.await("the replicas follow", () -> replicas.stream()
                .map(this::info)
                .allMatch(info -> info.contains("master_link_status:up") && info.contains("master_port:" + port)));
    }

    /** By their number: the sentinel names them only in a connection of its own kind. */
    private void awaitSentinel() {
        Readiness.await("the sentinel knows the replicas", () -> ask(sentinel.port(), redis -> redis.info("sentinel"))
                .contains("slaves=" + count));
    }

    private String info(EmbeddedRedis server) {
        return ask(server.port(), redis -> redis.info("replication"));
    }
}
