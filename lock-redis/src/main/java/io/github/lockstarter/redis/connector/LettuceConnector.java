package io.github.lockstarter.redis.connector;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoop;
import java.util.concurrent.ScheduledExecutorService;

abstract class LettuceConnector<C extends AbstractRedisClient> implements RedisConnector {

    final C client;
    private final EventLoop loop;
    private final Target target;
    private final Runnable closing;

    LettuceConnector(C client, Target target, Runnable closing) {
        this.client = client;
        this.loop = client.getResources()
                .eventLoopGroupProvider()
                .allocate(Transports.eventLoopGroupClass()) // until the resources are shut down
                .next();
        this.target = target;
        this.closing = closing;
    }

    @Override
    public final ScheduledExecutorService loop() {
        return loop;
    }

    @Override
    public final Target target() {
        return target;
    }

    @Override
    public final void close() {
        closing.run();
    }
}
