package io.github.lockstarter.autoconfigure.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;

/** The client that locks use if the application declares none. The backend starts it. Stateless. */
final class OwnClient {

    private static final int FIRST_DELAY_MILLIS = 100;
    private static final int LONGEST_DELAY_MILLIS = 1_000;

    /** A command that is repeated more often has been answered with "unknown" by then. */
    private static final int RETRIES = 3;

    private OwnClient() {}

    static CuratorFramework from(ZooKeeperLockProperties properties) {
        return CuratorFrameworkFactory.builder()
                .connectString(properties.connectString())
                .sessionTimeoutMs((int) properties.sessionTimeout().toMillis())
                .connectionTimeoutMs((int) properties.connectionTimeout().toMillis())
                .retryPolicy(new BoundedExponentialBackoffRetry(FIRST_DELAY_MILLIS, LONGEST_DELAY_MILLIS, RETRIES))
                .ensembleTracker(false) // the servers are those of the connect string, also behind a proxy
                .build();
    }
}
