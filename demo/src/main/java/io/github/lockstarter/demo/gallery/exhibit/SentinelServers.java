package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A master with two asynchronous replicas, and sentinels. */
final class SentinelServers implements ExhibitServers {

    private final RedisSentinels sentinels = RedisSentinels.start();

    /** The master, followed by its replicas. */
    private final List<RedisServer> living = new ArrayList<>(sentinels.servers());

    @Override
    public List<Integer> ports(int place) {
        return List.of(living.get(0).port());
    }

    /** A failover takes longer than the default takeover time, so only the lease counts. */
    @Override
    public List<String> properties(int place) {
        return List.of(
                "spring.data.redis.sentinel.master=" + RedisSentinels.MASTER,
                "spring.data.redis.sentinel.nodes=" + sentinels.nodes(),
                "distributed-lock.lease=4s",
                "distributed-lock.max-lease=4s",
                "distributed-lock.redis.command-timeout=500ms",
                "distributed-lock.crash-takeover=0");
    }

    /** Paused replicas cannot reconnect, so the master cannot replicate. */
    @Override
    public void stopReplication() {
        replicas().forEach(RedisServer::pause);
        living.get(0).commands().clientKill(KillArgs.Builder.typeSlave());
    }

    @Override
    public String failOver() {
        RedisServer old = living.remove(0);
        old.kill();
        living.forEach(RedisServer::resume);
        await("a replica is promoted", this::isReplaced);
        sentinels.awaitPromotion(old);
        await("the other replica follows", () -> replicas().stream().allMatch(this::follows));
        return "The master is killed; a replica without the lock is promoted";
    }

    private List<RedisServer> replicas() {
        return living.subList(1, living.size());
    }

    @Override
    public void close() {
        sentinels.close();
    }

    /**
     * Requests a failover, which saves the detection time. Repeated, because a sentinel refuses without a good replica
     * and would retry only after several seconds.
     */
    private boolean isReplaced() {
        living.sort(Comparator.comparing(RedisServer::isMaster).reversed());
        if (living.get(0).isMaster()) {
            return true;
        }
        sentinels.requestFailOver();
        return false;
    }

    private boolean follows(RedisServer replica) {
        var state = replica.info("replication");
        return "up".equals(state.get("master_link_status"))
                && Integer.toString(living.get(0).port()).equals(state.get("master_port"));
    }

    /** Retries after errors, since role changes close connections. */
    private static void await(String what, BooleanSupplier condition) {
        boolean reached = Polling.until(() -> {
            try {
                return condition.getAsBoolean();
            } catch (RedisException notYet) {
                return false;
            }
        });
        if (!reached) {
            throw new IllegalStateException("Waited without success until " + what);
        }
    }
}
