package io.github.lockstarter.zookeeper;

import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** Clients as the auto-configuration makes them. */
final class ZooKeeperClients {

    /** For tests that are not about its end: outlasts a stall of a busy machine. */
    static final Duration SESSION = Duration.ofSeconds(60);

    /** The same. */
    static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);

    private ZooKeeperClients() {}

    /** Connected before a backend uses it, which therefore cannot know how old the session is. */
    static CuratorFramework connected(String servers, Duration session) {
        CuratorFramework client = unstarted(servers, session);
        client.start();
        try {
            if (!client.blockUntilConnected((int) Patience.SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("ZooKeeper cannot be reached at " + servers);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return client;
    }

    /** For a backend, which starts it. */
    static CuratorFramework unstarted(String servers, Duration session) {
        return CuratorFrameworkFactory.builder()
                .connectString(servers)
                .sessionTimeoutMs((int) session.toMillis())
                .connectionTimeoutMs((int) COMMAND_TIMEOUT.toMillis())
                .retryPolicy(new RetryOneTime(50))
                .build();
    }

    static ZooKeeperLockSettings settings(Duration session) {
        return settings(session, COMMAND_TIMEOUT);
    }

    static ZooKeeperLockSettings settings(Duration session, Duration commandTimeout) {
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
        backend.connect(Patience.TIME).ifPresent(problem -> {
            throw new IllegalStateException(problem);
        });
        return backend;
    }
}
