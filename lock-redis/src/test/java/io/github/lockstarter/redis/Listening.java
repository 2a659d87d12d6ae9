package io.github.lockstarter.redis;

import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An instance that listens to its mailbox. */
public final class Listening implements AutoCloseable {

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final RedisClient client;

    private Listening(RedisClient client) {
        this.client = client;
    }

    public static Listening to(RedisServer server, String instance) {
        Listening listening = new Listening(RedisClient.create(server.uri()));
        StatefulRedisPubSubConnection<String, String> connection = listening.client.connectPubSub();
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                listening.received.add(message);
            }
        });
        connection.sync().subscribe("lock:mailbox:" + instance);
        return listening;
    }

    /** Messages to the mailbox so far. */
    public List<String> received() {
        return received;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
