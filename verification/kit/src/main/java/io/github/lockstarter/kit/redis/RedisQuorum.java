package io.github.lockstarter.kit.redis;

import java.util.ArrayList;
import java.util.List;

/** Independent servers. */
public final class RedisQuorum implements RedisServerGroup {

    private final List<RedisServer> servers = new ArrayList<>();

    private RedisQuorum() {}

    public static RedisQuorum start(int servers) {
        RedisQuorum quorum = new RedisQuorum();
        try {
            for (int i = 0; i < servers; i++) {
                quorum.servers.add(RedisServer.start());
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

    @Override
    public void reset() {
        servers.forEach(RedisServer::reset);
    }
}
