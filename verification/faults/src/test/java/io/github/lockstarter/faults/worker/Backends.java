package io.github.lockstarter.faults.worker;

import io.github.lockstarter.faults.topology.Address;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.redis.LockScript;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.connector.RedisConnectors;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.github.lockstarter.redlock.RedlockBackend;
import io.github.lockstarter.spi.Digest;
import io.github.lockstarter.spi.LockBackend;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Connects to the servers of a topology. */
final class Backends {

    /** Short, so that a fault of a second is more than one timeout. */
    static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

    private Backends() {}

    static LockBackend connect(Address address, WorkerOptions.Setup setup) {
        return switch (address.kind()) {
            case POSTGRESQL -> StoreBackends.postgresql(address, setup);
            case ZOOKEEPER -> StoreBackends.zooKeeper(address);
            case ETCD -> StoreBackends.etcd(address);
            case SINGLE, STATIC, SENTINEL, CLUSTER, QUORUM -> redis(address, setup);
        };
    }

    private static LockBackend redis(Address address, WorkerOptions.Setup setup) {
        if (!setup.has(WorkerOptions.Guard.READERS)) {
            edit(
                    LockScript.ACQUIRE_READ,
                    "owners[#owners + 1] = owner\n",
                    "owners[#owners + 1] = reads and owner or nil\n");
        }
        RedisSettings settings = settings(address, setup);
        if (address.kind() == Address.Kind.QUORUM) {
            return new RedlockBackend(
                    address.uris().stream()
                            .map(node -> new RedisLockBackend(
                                    new DirectRedisConnector(node, settings, address::route), settings))
                            .toList(),
                    setup.longestLease());
        }
        RedisConnector connector = setup.has(WorkerOptions.Guard.OWN_THREADS)
                ? connector(address, settings)
                : onForeignThreads(address, settings);
        if (!setup.has(WorkerOptions.Guard.ONE_MASTER)) {
            connector = ReducedConnector.toFirstMaster(address.uris(), settings);
        }
        return new RedisLockBackend(
                setup.has(WorkerOptions.Guard.RECONNECTION) ? connector : ReducedConnector.connectingOnce(connector),
                settings);
    }

    /** Changes the script that this JVM sends. */
    private static void edit(LockScript script, String text, String replacement) {
        String edited = script.text().replace(text, replacement);
        if (edited.equals(script.text())) {
            throw new IllegalStateException("The script has no '" + text + "'");
        }
        set(script, "text", edited);
        set(script, "sha", Digest.SHA_1.hex(edited.getBytes(StandardCharsets.UTF_8)));
    }

    private static void set(LockScript script, String name, String value) {
        try {
            Field field = LockScript.class.getDeclaredField(name);
            field.setAccessible(true);
            field.set(script, value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** To the only server. */
    private static RedisConnector onForeignThreads(Address address, RedisSettings settings) {
        RedisURI uri = address.uris().get(0);
        uri.setTimeout(settings.commandTimeout());
        RedisClient client = RedisClient.create(ForeignThreads.lettuce(), uri);
        client.setOptions(settings.tune(ClientOptions.create()));
        Target target = new Target(uri.toString(), false, RedisSetup.APPLICATION);
        return RedisConnectors.toServer(client, target, client::shutdown);
    }

    private static RedisSettings settings(Address address, WorkerOptions.Setup setup) {
        Duration gracePeriod = setup.has(WorkerOptions.Guard.HISTORY) ? setup.longestLease() : Duration.ZERO;
        return new RedisSettings(
                "lock:",
                COMMAND_TIMEOUT,
                new RedisSettings.HistoryGuard(gracePeriod, FirstUse.GRANT, address.deposedMasterWrites()));
    }

    /** With threads of its own, as an application has them: a route, even to the server itself, gives it those. */
    private static RedisConnector connector(Address address, RedisSettings settings) {
        return switch (address.kind()) {
            case SINGLE -> new DirectRedisConnector(address.uris().get(0), settings, address::route);
            case STATIC -> DirectRedisConnector.toMasterAmong(address.uris(), settings, address::route);
            case SENTINEL -> new DirectRedisConnector(sentinels(address), settings, address::route);
            case CLUSTER -> DirectRedisConnector.toCluster(address.uris(), settings, address::route);
            default -> throw new IllegalArgumentException("No single connector for " + address);
        };
    }

    private static RedisURI sentinels(Address address) {
        RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(RedisSentinels.MASTER);
        address.uris().forEach(sentinel -> uri.withSentinel(sentinel.getHost(), sentinel.getPort()));
        return uri.build();
    }
}
