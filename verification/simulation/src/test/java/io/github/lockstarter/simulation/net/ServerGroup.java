package io.github.lockstarter.simulation.net;

import io.github.lockstarter.redis.connector.Replication;
import io.github.lockstarter.simulation.redis.Reply;
import io.github.lockstarter.simulation.time.Process;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A master, its replicas, and sentinels, which detect changes of the roles at once. */
public final class ServerGroup {

    private final List<Server> servers;
    private final Process sentinels = new Process("sentinels");
    private Server master;

    /**
     * A group.
     *
     * @param servers the master and the replicas, which follow it
     */
    public ServerGroup(List<Server> servers) {
        this.servers = List.copyOf(servers);
        this.master = servers.get(0);
        replicas().forEach(replica -> replica.redis.follow(master.redis));
    }

    /** All servers. */
    public List<Server> all() {
        return servers;
    }

    /** The server that the sentinels call the master. */
    public Server master() {
        return master;
    }

    /** The servers that may be promoted according to the sentinels: all others. */
    public List<Server> replicas() {
        return servers.stream().filter(server -> server != master).toList();
    }

    /** Whether another server may become the master. */
    public boolean hasReplicas() {
        return servers.size() > 1;
    }

    /** Whether a server replicates the master: false for a master that was just deposed. */
    public boolean follows(Server server) {
        return server.redis.follows(master.redis);
    }

    /** Promotes a replica. The others follow it; the master before does so once it is demoted. */
    public void promote(Server replica) {
        Server deposed = master;
        replica.redis.promote();
        master = replica;
        replicas().stream()
                .filter(server -> server != deposed && server.process().isRunning())
                .forEach(server -> server.redis.follow(replica.redis));
    }

    /** Makes a server that was the master a replica of the present one, and ends its connections. */
    public void demote(Server deposed) {
        if (deposed != master && !deposed.process().isDead()) {
            deposed.redis.follow(master.redis);
            deposed.disconnectAll();
        }
    }

    /** Asks each server that may be promoted whether it has all writes of the master. */
    CompletionStage<Boolean> haveAll(Endpoint endpoint, Replication written) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        long there = endpoint.delays().getAsLong();
        long back = endpoint.delays().getAsLong();
        endpoint.time().in(there, sentinels, () -> {
            boolean haveAll = replicas().stream()
                    .allMatch(replica -> replica.isReachableFor(endpoint.client()) && hasAll(replica, written));
            endpoint.time().in(back, endpoint.client(), () -> answer.complete(haveAll));
        });
        return answer;
    }

    private static boolean hasAll(Server replica, Replication written) {
        Reply.Text info = (Reply.Text) replica.redis.execute(List.of("INFO", "replication"));
        return Replication.of(info.value()).hasAll(written);
    }
}
