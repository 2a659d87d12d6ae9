package io.github.lockstarter.redis;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;

/**
 * Lets commands that wait for the event loop together leave in one system call. Lettuce flushes after each command, which
 * costs the event loop, and the server, a call per command when many threads take locks. A command that comes alone leaves
 * as before; none waits for a command that has not been sent yet, and their order stays.
 */
public final class GatheredWrites implements NettyCustomizer {

    private final NettyCustomizer application;

    private GatheredWrites(NettyCustomizer application) {
        this.application = application;
    }

    /**
     * For a client that customizes nothing else.
     *
     * @return a customizer of channels
     */
    public static GatheredWrites alone() {
        return after(new NettyCustomizer() {});
    }

    /**
     * For a client that is customized already.
     *
     * @param application what the application does to its channels; done first
     * @return a customizer of channels
     */
    public static GatheredWrites after(NettyCustomizer application) {
        return new GatheredWrites(application);
    }

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        application.afterBootstrapInitialized(bootstrap);
    }

    /** First in the pipeline, where also what TLS writes passes. */
    @Override
    public void afterChannelInitialized(Channel channel) {
        application.afterChannelInitialized(channel);
        int most = FlushConsolidationHandler.DEFAULT_EXPLICIT_FLUSH_AFTER_FLUSHES;
        channel.pipeline().addFirst(new FlushConsolidationHandler(most, true));
    }
}
