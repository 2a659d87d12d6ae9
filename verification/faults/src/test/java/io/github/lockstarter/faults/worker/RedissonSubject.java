package io.github.lockstarter.faults.worker;

import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.faults.topology.Address;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.lettuce.core.internal.HostAndPort;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.NatMapper;
import org.redisson.config.ReadMode;
import org.redisson.misc.RedisURI;

/**
 * Redisson's fenced lock, with its watchdog unless the request disables renewal. It does not notify its holder of a
 * loss and does not report the lease, so a hold counts as valid for one lease from before the request: never longer
 * than Redisson promises.
 */
final class RedissonSubject implements Subject {

    private final RedissonClient client;
    private final Duration lease;

    RedissonSubject(Address address, Duration lease) {
        this.lease = lease;
        Config config = new Config();
        config.setLockWatchdogTimeout(lease.toMillis());
        config.setLazyInitialization(true);
        connectTo(address, config);
        this.client = Redisson.create(config);
    }

    private static void connectTo(Address address, Config config) {
        Duration timeout = Backends.COMMAND_TIMEOUT;
        NatMapper routes = uri -> {
            HostAndPort instead = address.route(HostAndPort.of(uri.getHost(), uri.getPort()));
            return new RedisURI(uri.getScheme(), instead.getHostText(), instead.getPort());
        };
        List<String> nodes =
                address.nodes().stream().map(node -> "redis://" + node).toList();
        BaseConfig<?> servers =
                switch (address.kind()) {
                    case SINGLE ->
                        config.useSingleServer()
                                .setAddress(nodes.get(0))
                                .setConnectionPoolSize(16)
                                .setConnectionMinimumIdleSize(2);
                    case SENTINEL ->
                        config.useSentinelServers()
                                .setMasterName(RedisSentinels.MASTER)
                                .addSentinelAddress(nodes.toArray(String[]::new))
                                .setReadMode(ReadMode.MASTER)
                                .setNatMapper(routes)
                                .setMasterConnectionPoolSize(16)
                                .setMasterConnectionMinimumIdleSize(2);
                    case CLUSTER ->
                        config.useClusterServers()
                                .addNodeAddress(nodes.toArray(String[]::new))
                                .setReadMode(ReadMode.MASTER)
                                .setNatMapper(routes)
                                .setMasterConnectionPoolSize(16)
                                .setMasterConnectionMinimumIdleSize(2);
                    default -> throw new IllegalArgumentException("Not compared over " + address);
                };
        servers.setTimeout((int) timeout.toMillis())
                .setConnectTimeout((int) timeout.toMillis())
                .setRetryAttempts(1);
    }

    @Override
    public Optional<Held> acquire(LockRequest request) throws InterruptedException {
        RFencedLock lock = client.getFencedLock("lock:" + request.keys().get(0));
        Duration own = request.terms().lease().orElse(lease);
        long before = System.nanoTime();
        // -1: renewed by the watchdog
        long leaseMillis = request.terms().renewal() == Renewal.OFF ? own.toMillis() : -1;
        Long token = lock.tryLockAndGetToken(
                request.terms().maxWait().orElse(Duration.ZERO).toMillis(), leaseMillis, TimeUnit.MILLISECONDS);
        if (Thread.interrupted()) {
            if (token != null) {
                lock.unlock();
            }
            throw new InterruptedException("while acquiring");
        }
        return Optional.ofNullable(token).map(number -> new RedissonHeld(lock, number, before + own.toNanos()));
    }

    /** Its holds belong to threads, so there is none without. */
    @Override
    public CompletableFuture<Held> acquireAsync(LockRequest request) {
        try {
            String key = request.keys().get(0);
            return CompletableFuture.completedFuture(
                    acquire(request).orElseThrow(() -> new LockNotAcquiredException(key, "contended")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(e);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public boolean signalsLoss() {
        return false;
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }

    private record RedissonHeld(RFencedLock lock, long fencingToken, long deadline) implements Held {

        @Override
        public Duration remainingLease() {
            return Duration.ofNanos(deadline - System.nanoTime());
        }

        @Override
        public String path() {
            return "REDISSON";
        }

        @Override
        public void onLost(Runnable callback) {
            // It has no such signal.
        }

        @Override
        public void extend(Duration longer) {
            // It has no such call.
        }

        @Override
        public String release() {
            try {
                lock.unlock();
                return "RELEASED";
            } catch (IllegalMonitorStateException e) {
                return "LOST";
            } catch (RuntimeException e) {
                return "UNKNOWN";
            }
        }
    }
}
