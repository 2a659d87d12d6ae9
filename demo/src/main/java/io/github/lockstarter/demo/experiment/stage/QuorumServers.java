package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import io.github.lockstarter.sample.redis.MovableClock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** Locks on a majority of servers that know nothing of each other, and forget all when they are restarted. */
final class QuorumServers implements LockServers {

    private static final Duration OUTAGE = Duration.ofMillis(300);

    private final List<EmbeddedRedis> servers;
    private final RedisConsole console;

    QuorumServers(List<EmbeddedRedis> servers, RedisConsole console) {
        this.servers = List.copyOf(servers);
        this.console = console;
    }

    @Override
    public List<String> properties() {
        return List.of("distributed-lock.redlock.nodes="
                + servers.stream().map(EmbeddedRedis::address).collect(Collectors.joining(",")));
    }

    /** As many as may be down: a minority. */
    @Override
    public String restart(String key) {
        List<EmbeddedRedis> minority = servers.subList(0, (servers.size() - 1) / 2);
        try {
            minority.forEach(EmbeddedRedis::kill);
            SimulatedWork.lasting(OUTAGE);
        } finally {
            restartEach(minority);
        }
        return minority.size() + " of the " + servers.size()
                + " servers of Redlock were killed (-9) and started again without their data";
    }

    /** One that does not come back keeps no other from coming back. */
    private static void restartEach(List<EmbeddedRedis> killed) {
        RuntimeException failure = null;
        for (EmbeddedRedis server : killed) {
            try {
                server.restart();
            } catch (RuntimeException notBack) {
                failure = notBack;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String failOver(String key, int times) {
        requireReplicas();
        throw new IllegalStateException("No server of Redlock has replicas");
    }

    @Override
    public void requireReplicas() {
        throw new UnsupportedOperationException(
                "The servers of Redlock have no replicas: they outvote one that fails. Restart Redis instead");
    }

    /** Always the same one: another one beside it would no longer be a minority for long. */
    @Override
    public String moveClock(Duration ahead) {
        if (!MovableClock.available()) {
            throw new UnsupportedOperationException("The clock of a redis-server cannot be moved here: that takes Linux"
                    + " on x86-64, and the right to write into the memory of a process that one has started");
        }
        EmbeddedRedis server = servers.get(0);
        MovableClock.of(server).set(ahead);
        return "The clock of Redis " + server.address() + ", one of the " + servers.size() + " of Redlock, was set "
                + ahead.toSeconds() + " s ahead";
    }

    @Override
    public void delete(String key) {
        servers.forEach(server -> console.ask(server.port(), redis -> redis.del(LockKey.of(key))));
    }
}
