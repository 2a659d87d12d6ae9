package io.github.lockstarter.redis.connector;

import io.github.lockstarter.spi.LockThreads;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.ThreadFactoryProvider;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Threads and settings of Lettuce clients for locks, shared with no other client: one event loop for all connections,
 * two executors and a timer. Of the application's code, only a Netty customizer and a credentials provider run there,
 * which must not block; {@link io.github.lockstarter.spi.BlockingWait} fails there. Commands are neither traced nor
 * measured. Clients reconnect within about a second; Lettuce's default delay grows to 30 s, longer than a lease.
 *
 * <p>One loop, so that all commands of a client are written in the order in which its tasks send them.
 */
public final class LockClientResources implements AutoCloseable {

    /** Longest shutdown of a client. */
    public static final Duration SHUTDOWN = Duration.ofSeconds(2);

    private static final Delay RECONNECT =
            Delay.fullJitter(Duration.ofMillis(10), Duration.ofSeconds(1), 1, TimeUnit.MILLISECONDS);

    private final EventLoopGroupProvider loops;
    private final ClientResources resources;

    /**
     * Starts no thread but the timer's.
     *
     * @param customizer sets how addresses are resolved and channels are made
     */
    public LockClientResources(UnaryOperator<ClientResources.Builder> customizer) {
        ThreadFactoryProvider threads =
                pool -> work -> LockThreads.nonBlocking(pool.replace("lettuce", "lock-redis"), work);
        this.loops = new DefaultEventLoopGroupProvider(1, threads);
        this.resources = customizer
                .apply(ClientResources.builder().reconnectDelay(RECONNECT))
                .threadFactoryProvider(threads)
                .eventLoopGroupProvider(loops)
                .computationThreadPoolSize(2)
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
                .build();
    }

    /**
     * {@return resources that resolve addresses and make channels as the application does}
     *
     * @param application resources of the application's clients
     */
    public static LockClientResources like(Optional<ClientResources> application) {
        return new LockClientResources(own -> application
                .map(theirs -> own.socketAddressResolver(theirs.socketAddressResolver())
                        .addressResolverGroup(theirs.addressResolverGroup())
                        .nettyCustomizer(theirs.nettyCustomizer()))
                .orElse(own));
    }

    /**
     * {@return the name of the lock connections in {@code CLIENT LIST}; {@code CLIENT SETNAME} accepts only printable
     * ASCII without spaces}
     *
     * @param application name of the application, or of its clients
     */
    public static String clientName(String application) {
        return application.replaceAll("[^!-~]", "-") + "-lock";
    }

    /** {@return the resources for {@code RedisClient.create}} */
    public ClientResources resources() {
        return resources;
    }

    /** Ends the threads, after the clients were shut down. Blocks for at most about 4 s. */
    @Override
    public void close() {
        long millis = SHUTDOWN.toMillis();
        resources.shutdown(0, millis, TimeUnit.MILLISECONDS).awaitUninterruptibly(millis, TimeUnit.MILLISECONDS);
        loops.shutdown(0, millis, TimeUnit.MILLISECONDS).awaitUninterruptibly(millis, TimeUnit.MILLISECONDS);
    }
}
