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

/**
 * A connection to each member, of which one is in use, until a request to it has no answer. Each instance begins with
 * any of them, so that not all use the same one. Thread-safe.
 *
 * <p>{@code inUse} counts on, so that failures of requests that went to the same member pass over it once.
 */
final class EtcdChannels implements AutoCloseable {

    /** Members refuse a client that asks more often than each 5 s whether they are there. */
    private static final long PING_SECONDS = 10;

    private final List<ManagedChannel> channels;
    private final AtomicInteger inUse;

    EtcdChannels(EtcdSettings settings, Executor callbacks) {
        this.channels = settings.endpoints().stream()
                .map(endpoint -> open(endpoint, settings, callbacks))
                .toList();
        this.inUse = new AtomicInteger(ThreadLocalRandom.current().nextInt(channels.size()));
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

    /** The member in use; pass it on to {@link #failed}. */
    Member current() {
        int number = inUse.get();
        return new Member(number, channels.get(Math.floorMod(number, channels.size())));
    }

    /** Has the next request go to another member, or connect anew instead of waiting for the next attempt to. */
    void failed(Member member) {
        member.channel().resetConnectBackoff();
        inUse.compareAndSet(member.number(), member.number() + 1);
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    /** One member, with the number of its turn. */
    record Member(int number, ManagedChannel channel) {}
}
