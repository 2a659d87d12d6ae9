package io.github.lockstarter.zookeeper;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** Clients as the auto-configuration makes them, with time-outs that a test can sit through. */
final class ZooKeeperClients {

    /** For tests that are not about its end: outlasts a stall of a busy machine. */
    static final Duration SESSION = Duration.ofSeconds(20);

    private ZooKeeperClients() {}

    static CuratorFramework connect(String servers, Duration session) {
        CuratorFramework client = start(servers, session);
        try {
            if (!client.blockUntilConnected(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("ZooKeeper cannot be reached at " + servers);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return client;
    }

    /** Does not wait for a connection. */
    static CuratorFramework start(String servers, Duration session) {
        CuratorFramework client = unstarted(servers, session);
        client.start();
        return client;
    }

    private static CuratorFramework unstarted(String servers, Duration session) {
        return CuratorFrameworkFactory.builder()
                .connectString(servers)
                .sessionTimeoutMs((int) session.toMillis())
                .connectionTimeoutMs(2_000)
                .retryPolicy(new RetryOneTime(50))
                .build();
    }

    static ZooKeeperLockSettings settings(Duration session) {
        return settings(session, Duration.ofSeconds(2));
    }

    private static ZooKeeperLockSettings settings(Duration session, Duration commandTimeout) {
        return new ZooKeeperLockSettings("/test/locks", "lock:", commandTimeout, session);
    }

    /** A backend with a client of its own, which it closes. */
    static ZooKeeperLockBackend backend(String servers, Duration session) {
        return backend(servers, settings(session));
    }

    /** The same, with another command timeout. */
    static ZooKeeperLockBackend backend(String servers, Duration session, Duration commandTimeout) {
        return backend(servers, settings(session, commandTimeout));
    }

    private static ZooKeeperLockBackend backend(String servers, ZooKeeperLockSettings settings) {
        CuratorFramework client = unstarted(servers, settings.sessionTimeout());
        ZooKeeperLockBackend backend = new ZooKeeperLockBackend(client, settings, client::close);
        backend.connect(Duration.ofSeconds(10)).ifPresent(problem -> {
            throw new IllegalStateException(problem);
        });
        return backend;
    }
}
