package io.github.lockstarter.etcd;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/**
 * A channel to each member. One is in use until a request on it fails; at first a random one, to spread the load.
 * Thread-safe.
 *
 * <p>{@code inUse} only increases, so concurrent failures on one member skip it once.
 */
final class EtcdChannels implements AutoCloseable {

    /** Members reject clients that ping more often than every 5 s. */
    private static final long PING_SECONDS = 10;

    private static final long TIME_TO_CONNECT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final List<ManagedChannel> channels;
    private final AtomicInteger inUse;

    /** By channel, when its connection was last given up, in monotonic nanoseconds. */
    private final AtomicLongArray renewedAt;

    EtcdChannels(EtcdSettings settings, Executor callbacks) {
        this.channels = settings.endpoints().stream()
                .map(endpoint -> open(endpoint, settings, callbacks))
                .toList();
        this.inUse = new AtomicInteger(ThreadLocalRandom.current().nextInt(channels.size()));
        long longAgo = System.nanoTime() - TIME_TO_CONNECT_NANOS;
        this.renewedAt = new AtomicLongArray(
                LongStream.generate(() -> longAgo).limit(channels.size()).toArray());
    }

    private static ManagedChannel open(URI endpoint, EtcdSettings settings, Executor callbacks) {
        ChannelCredentials credentials = endpoint.getScheme().equals("http")
                ? InsecureChannelCredentials.create()
                : settings.tls().orElseGet(TlsChannelCredentials::create);
        return NettyChannelBuilder.forAddress(endpoint.getHost(), endpoint.getPort(), credentials)
                .executor(callbacks)
                .disableRetry()
                .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(settings.commandTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .build();
    }

    Member current() {
        int number = inUse.get();
        return new Member(number, channels.get(Math.floorMod(number, channels.size())));
    }

    /**
     * Makes the next request use another member, or a new connection if there is only one: no limit ends an attempt to
     * connect to a server that hangs. A new connection has time to be established on a slow machine. Calls under way
     * continue.
     */
    void failed(Member member) {
        if (!inUse.compareAndSet(member.number(), member.number() + 1)) {
            return;
        }
        int index = Math.floorMod(member.number(), channels.size());
        long now = System.nanoTime();
        if (now - renewedAt.get(index) >= TIME_TO_CONNECT_NANOS) {
            renewedAt.set(index, now);
            member.channel().enterIdle();
        } else {
            member.channel().resetConnectBackoff();
        }
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    record Member(int number, ManagedChannel channel) {}
}
