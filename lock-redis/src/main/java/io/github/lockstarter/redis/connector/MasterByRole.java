package io.github.lockstarter.redis.connector;

import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Asks the servers for their roles. Two masters are refused: a choice between them by any rule would be wrong for the
 * clients that are connected to the other one.
 */
final class MasterByRole extends MasterConnector {

    private final List<RedisURI> servers;

    MasterByRole(RedisClient client, List<RedisURI> servers, Target target, Runnable closing) {
        super(client, target, closing);
        this.servers = List.copyOf(servers);
    }

    @Override
    Master connectToMaster() {
        List<Master> found = ParallelQuery.results(
                servers.stream().map(this::ask).toList(),
                servers.get(0).getTimeout(),
                masters -> masters.size() > 1,
                MasterByRole::close,
                () -> "no server answers as a master");
        if (found.size() > 1) {
            found.forEach(MasterByRole::close);
            throw new SeveralMastersException(
                    found.stream().map(master -> address(master.uri())).toList());
        }
        return found.get(0);
    }

    private static void close(Master master) {
        master.connection().closeAsync();
    }

    private static String address(RedisURI server) {
        return server.getHost() + ':' + server.getPort();
    }

    @Override
    public boolean hasStaticNodes() {
        return servers.size() > 1;
    }

    @Override
    public void lookForAnotherMaster(Runnable found) {
        RedisURI chosen = master();
        servers.stream().filter(server -> !server.equals(chosen)).forEach(server -> ask(server)
                .thenAccept(answer -> answer.ifPresent(another -> {
                    close(another);
                    found.run();
                })));
    }

    @Override
    public CompletionStage<Boolean> haveAll(Replication written) {
        return haveAll(servers, written);
    }

    private CompletionStage<Optional<Master>> ask(RedisURI server) {
        // Not thrown: that would leak the connections to other servers.
        return BackendGuard.stageOf(() -> client.connectAsync(StringCodec.UTF8, server)
                .thenCompose(connection -> asked(connection, new Master(connection, server))));
    }

    private static CompletionStage<Optional<Master>> asked(
            StatefulRedisConnection<String, String> connection, Master master) {
        return connection.async().role().handle((role, failure) -> {
            if (failure == null && !role.isEmpty() && "master".equals(role.get(0))) {
                return Optional.of(master);
            }
            connection.closeAsync();
            if (failure != null) {
                throw new CompletionException(failure);
            }
            return Optional.empty();
        });
    }
}
