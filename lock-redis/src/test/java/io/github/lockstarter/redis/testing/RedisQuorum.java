package io.github.lockstarter.redis.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Several servers that know nothing of each other. */
public final class RedisQuorum implements RedisTopology {

    private final List<RedisServer> servers = new ArrayList<>();

    private RedisQuorum() {}

    /**
     * Starts the servers and waits until they answer.
     *
     * @param servers how many
     * @return the running servers; close them
     */
    public static RedisQuorum start(int servers) {
        RedisQuorum quorum = new RedisQuorum();
        try {
            for (int i = 0; i < servers; i++) {
                quorum.servers.add(EmbeddedRedisServer.start());
            }
            return quorum;
        } catch (RuntimeException e) {
            quorum.close();
            throw e;
        }
    }

    @Override
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /**
     * Where they are.
     *
     * @return {@code host:port} of each, separated by commas
     */
    public String addresses() {
        return servers.stream()
                .map(server -> server.host() + ":" + server.port())
                .collect(Collectors.joining(","));
    }

    @Override
    public void reset() {
        servers.forEach(RedisServer::reset);
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
