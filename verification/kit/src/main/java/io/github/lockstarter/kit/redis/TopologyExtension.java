package io.github.lockstarter.kit.redis;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * One {@link RedisServerGroup} of a kind for all test classes of a JVM, as new before each test. Ends after the last
 * test.
 * Register it as a static field:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final TopologyExtension<RedisCluster> CLUSTER = TopologyExtension.cluster();
 * }</pre>
 *
 * @param <T> the kind
 */
public final class TopologyExtension<T extends RedisServerGroup> extends FreshBeforeEachTest
        implements BeforeAllCallback {

    private final Class<T> kind;
    private final Supplier<T> start;
    private @Nullable T topology;

    private TopologyExtension(Class<T> kind, Supplier<T> start) {
        this.kind = kind;
        this.start = start;
    }

    public static TopologyExtension<RedisReplication> replication() {
        return new TopologyExtension<>(RedisReplication.class, () -> RedisReplication.start(2));
    }

    public static TopologyExtension<RedisSentinels> sentinels() {
        return new TopologyExtension<>(RedisSentinels.class, RedisSentinels::start);
    }

    public static TopologyExtension<RedisCluster> cluster() {
        return new TopologyExtension<>(RedisCluster.class, RedisCluster::start);
    }

    public static TopologyExtension<RedisQuorum> quorum() {
        return new TopologyExtension<>(RedisQuorum.class, () -> RedisQuorum.start(5));
    }

    public T topology() {
        if (topology == null) {
            throw new IllegalStateException(
                    "The servers start with the test class: register the extension as a static field");
        }
        return topology;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        topology = shared(context).computeIfAbsent(kind, any -> start.get(), kind);
    }

    /** A failover in progress cannot be cancelled, so servers that do not recover from it are replaced. */
    @Override
    void reset(ExtensionContext context) {
        T used = topology();
        try {
            used.reset();
        } catch (RuntimeException e) {
            System.err.println("Replaces the servers of " + kind.getSimpleName() + ", which could not be reset: " + e);
            used.close();
            topology = start.get();
            shared(context).put(kind, topology);
        }
    }

    private static Store shared(ExtensionContext context) {
        return context.getRoot().getStore(Namespace.create(TopologyExtension.class));
    }
}
