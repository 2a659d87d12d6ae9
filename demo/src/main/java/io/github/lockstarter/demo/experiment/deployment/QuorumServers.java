package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.List;

/** Five independent servers without persistence, for locks on a majority. */
record QuorumServers(RedisQuorum quorum) implements LockServers {

    static final int SERVERS = 5;

    @Override
    public List<String> properties() {
        return List.of("distributed-lock.redlock.nodes=" + quorum.addresses());
    }

    @Override
    public String restart(String key) {
        List<RedisServer> minority = quorum.servers().subList(0, (SERVERS - 1) / 2);
        LockServers.killAndStart(minority);
        return minority.size() + " of the " + SERVERS
                + " servers of Redlock were killed (-9) and started again without their data";
    }

    @Override
    public void requireReplicas() {
        throw new UnsupportedOperationException(
                "The servers of Redlock have no replicas: they outvote one that fails. Restart Redis instead");
    }

    /** Always the same server: repeated jumps on different servers would soon affect a majority. */
    @Override
    public String moveClock(Duration ahead) {
        RedisServer server = quorum.servers().get(0);
        server.setClock(ahead);
        return "The clock of Redis " + server.address() + ", one of the " + SERVERS + " of Redlock, was set "
                + ahead.toSeconds() + " s ahead";
    }

    @Override
    public void delete(String key) {
        quorum.servers().forEach(server -> server.commands().del("lock:{" + key + "}"));
    }
}
