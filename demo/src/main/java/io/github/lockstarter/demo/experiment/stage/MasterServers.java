package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Locks on one master at a time: a server that stands alone, the one among static nodes, the one that sentinels name,
 * or the one of a cluster that has the slot of the lock.
 */
final class MasterServers implements LockServers {

    private static final Duration OUTAGE = Duration.ofMillis(300);
    private static final double MS_PER_SECOND = 1000;

    private final Replication replication;
    private final List<String> properties;
    private final RedisConsole console;

    /** Where locks are kept, and how instances find it. */
    MasterServers(Replication replication, List<String> properties, RedisConsole console) {
        this.replication = replication;
        this.properties = List.copyOf(properties);
        this.console = console;
    }

    @Override
    public List<String> properties() {
        return properties;
    }

    @Override
    public String restart(String key) {
        EmbeddedRedis master = replication.master(key);
        try {
            master.kill();
            SimulatedWork.lasting(OUTAGE);
        } finally {
            master.restart();
        }
        return "Redis " + master.address() + " was killed (-9) and started again with its append-only file";
    }

    @Override
    public void requireReplicas() {
        if (replication.topology() == Topology.STANDALONE) {
            throw new UnsupportedOperationException("A server that stands alone has no replica to fail over to."
                    + " Choose the topology master-replica, sentinel or cluster");
        }
    }

    @Override
    public String failOver(String key, int times) {
        requireReplicas();
        List<EmbeddedRedis> masters = new ArrayList<>(List.of(replication.master(key)));
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

    /** A shard of the cluster has one replica: the master that was killed before is to take over again. */
    private String failOverOnce(String key, List<EmbeddedRedis> masters, long first) {
        EmbeddedRedis before = masters.get(masters.size() - 1);
        if (replication.topology() == Topology.CLUSTER && masters.size() > 1) {
            EmbeddedRedis former = masters.get(masters.size() - 2);
            replication.rejoin(former, before);
            replication.awaitCopy(former);
        }
        String when = masters.size() > 1 ? String.format(Locale.ROOT, " %.1f s later", secondsSince(first)) : "";
        EmbeddedRedis after = replication.replace(before, key);
        masters.add(after);
        return before.address() + " was killed (-9)" + when + ", and " + after.address() + " was promoted";
    }

    /** All but the newest, also when none was promoted. One that does not come back keeps no other from coming back. */
    private void rejoinEach(List<EmbeddedRedis> masters) {
        EmbeddedRedis newest = masters.get(masters.size() - 1);
        RuntimeException failure = null;
        for (EmbeddedRedis server : masters) {
            try {
                if (server == newest) {
                    server.restart();
                } else {
                    replication.rejoin(server, newest);
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
    public void delete(String key) {
        EmbeddedRedis master = replication.master(key);
        console.ask(master.port(), redis -> redis.del(LockKey.of(key)));
    }

    private static double secondsSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos) / MS_PER_SECOND;
    }
}
