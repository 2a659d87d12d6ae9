package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.connection.SignalMailbox;
import io.lettuce.core.RedisClient;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Receives the messages of instances to the mailboxes of others. */
final class Mailboxes implements AutoCloseable {

    private static final String ALL = "lock:mailbox:*";

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final RedisClient client;

    private Mailboxes(RedisClient client) {
        this.client = client;
    }

    static Mailboxes on(RedisServer server) {
        Mailboxes mailboxes = new Mailboxes(RedisClient.create(server.uri()));
        StatefulRedisPubSubConnection<String, String> connection = mailboxes.client.connectPubSub();
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String pattern, String channel, String message) {
                if (!message.equals(SignalMailbox.PROOF)) {
                    mailboxes.received.add(message);
                }
            }
        });
        connection.sync().psubscribe(ALL);
        return mailboxes;
    }

    /** Number of signals. */
    long signals() {
        return received.size() - notices();
    }

    /** Number of notices that another instance waits. */
    long notices() {
        return received.stream().filter(message -> message.startsWith("%!")).count();
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
