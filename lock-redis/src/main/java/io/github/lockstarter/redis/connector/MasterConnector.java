package io.github.lockstarter.redis.connector;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Connects to one of several servers. Signals come from the server that commands were connected to last:
 * {@code master}, which the thread that opens connections sets.
 */
final class MasterConnector implements RedisConnector {

    private final RedisClient client;
    private final MasterChoice choice;
    private final String target;
    private final Runnable closing;
    private volatile @Nullable RedisURI master;

    MasterConnector(RedisClient client, MasterChoice choice, String target, Runnable closing) {
        this.client = client;
        this.choice = choice;
        this.target = target;
        this.closing = closing;
    }

    @Override
    public StatefulConnection<String, String> connect() {
        MasterChoice.Master found = choice.connect();
        master = found.uri();
        return found.connection();
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        RedisURI known = master;
        if (known == null) {
            throw new RedisException("no master is known yet");
        }
        return client.connectPubSub(StringCodec.UTF8, known);
    }

    @Override
    public ScheduledExecutorService timer() {
        return client.getResources().eventExecutorGroup();
    }

    @Override
    public String target() {
        return target;
    }

    @Override
    public void close() {
        closing.run();
    }
}
