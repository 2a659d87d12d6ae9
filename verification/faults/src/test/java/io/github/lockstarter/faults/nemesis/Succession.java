package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.topology.Calls;
import io.github.lockstarter.faults.topology.RedisTopology;
import io.github.lockstarter.faults.topology.RedisTopology.Failover;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The replacement of one master by one of its replicas. Respects the setting of the workers: a deposed master accepts
 * their commands for at most {@link RedisTopology#DEPOSED_MASTER_WRITES}. Used by one thread. Mutable: the earliest
 * start of the promotion, and whether it has started.
 */
final class Succession {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(2);

    /** Leaves as much again for this JVM not to run. */
    private static final Duration BESIDE = RedisTopology.DEPOSED_MASTER_WRITES.dividedBy(2);

    /** If the promotion is detected later than this, the old master does not continue beside the new one. */
    private static final Duration IN_TIME = RedisTopology.DEPOSED_MASTER_WRITES.dividedBy(4);

    private final Failover failover;
    private final RedisServer master;
    private final List<RedisServer> replicas;
    private final List<TcpProxy> links;
    private long promotedAfter;
    private boolean promoted;

    private Succession(Site site) {
        this.failover = site.redis().failover().orElseThrow();
        this.master = failover.master(site.plan().lot());
        this.replicas = failover.replicasOf(master);
        this.links = site.linksTo(master);
    }

    /** With replicas that have all they were sent. */
    static Succession of(Site site) {
        return new Succession(site);
    }

    /** With replicas that lag by as long as the fault lasts. */
    static Succession lagging(Site site) {
        Succession succession = new Succession(site);
        succession.cutReplication();
        LockSupport.parkNanos(site.duration().toNanos());
        return succession;
    }

    /** With replicas that lag, or not, as was drawn. */
    static Succession perhapsLagging(Site site) {
        return site.lags() ? lagging(site) : of(site);
    }

    RedisServer master() {
        return master;
    }

    void promote() {
        failover.promote(master);
    }

    /** Replicas can no longer authenticate: sentinels still see them, but their data becomes old. */
    private void cutReplication() {
        replicas.forEach(replica -> Calls.to(replica, commands -> commands.configSet("masteruser", "nobody")));
        Calls.to(master, commands -> commands.clientKill(KillArgs.Builder.typeSlave()));
    }

    void awaitPromotion() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < Patience.TIME.toNanos()) {
            long before = System.nanoTime();
            if (replicas.stream().anyMatch(Succession::isMaster)) {
                promoted = true;
                return;
            }
            promotedAfter = before;
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
        throw new IllegalStateException("No replica was promoted within " + Patience.TIME);
    }

    private static boolean isMaster(RedisServer server) {
        return "master".equals(Calls.to(server, commands -> commands.role().get(0)));
    }

    /** Lets the old master continue beside the new one, and disconnects the workers from it in time. */
    void goOnBeside(Consumer<RedisServer> resumption) {
        if (System.nanoTime() - promotedAfter > IN_TIME.toNanos()) {
            part();
            resumption.accept(master);
            return;
        }
        resumption.accept(master);
        LockSupport.parkNanos(promotedAfter + BESIDE.toNanos() - System.nanoTime());
        part();
        long late = System.nanoTime() - promotedAfter - RedisTopology.DEPOSED_MASTER_WRITES.toNanos();
        if (late > 0) {
            throw new IllegalStateException(
                    "The old master went on for " + late / 1_000_000 + " ms longer than promised");
        }
    }

    /** No worker reaches the old master any more. */
    void part() {
        links.forEach(TcpProxy::refuse);
        links.forEach(TcpProxy::cut);
    }

    /** The same, but no worker is told. */
    void leaveHanging() {
        links.forEach(TcpProxy::refuse);
        links.forEach(TcpProxy::forget);
    }

    /** The old master becomes a replica before any worker reaches it again. */
    void reconcile() {
        if (!master.answers()) {
            master.resume();
            if (!master.answers()) {
                master.restart();
            }
        }
        allowReplication();
        if (promoted) {
            failover.demote(master);
        }
        links.forEach(TcpProxy::accept);
    }

    private void allowReplication() {
        replicas.forEach(replica -> Calls.to(replica, commands -> commands.configSet("masteruser", "fixture")));
    }

    void settle() {
        failover.settle();
    }
}
