package io.github.lockstarter.autoconfigure.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;

/** The client that locks use, which connects on its own from its start on. Stateless. */
final class StartedClient {

    private static final int FIRST_DELAY_MILLIS = 100;
    private static final int LONGEST_DELAY_MILLIS = 1_000;

    /** A command that is repeated more often has been answered with "unknown" by then. */
    private static final int RETRIES = 3;

    private StartedClient() {}

    /** The application's, which it may have left to others to start. */
    static CuratorFramework of(CuratorFramework application) {
        if (application.getState() == CuratorFrameworkState.LATENT) {
            application.start();
        }
        return application;
    }

    static CuratorFramework from(ZooKeeperLockProperties properties) {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString(properties.connectString())
                .sessionTimeoutMs((int) properties.sessionTimeout().toMillis())
                .connectionTimeoutMs((int) properties.connectionTimeout().toMillis())
                .retryPolicy(new BoundedExponentialBackoffRetry(FIRST_DELAY_MILLIS, LONGEST_DELAY_MILLIS, RETRIES))
                .ensembleTracker(false) // the servers are those of the connect string, also behind a proxy
                .build();
        client.start();
        return client;
    }
}
