package io.github.lockstarter.autoconfigure.zookeeper;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.autoconfigure.StoreCheck;
import io.github.lockstarter.zookeeper.ZooKeeperLockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockSettings;
import java.time.Duration;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Locks in ZooKeeper by {@code distributed-lock.zookeeper.*}, or over the application's only {@code CuratorFramework};
 * several are refused without a connect string. Requires {@link DistributedLockAutoConfiguration}.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties(ZooKeeperLockProperties.class)
public final class ZooKeeperLockAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(ZooKeeperLockAutoConfiguration.class);

    private static final String ACTION = "Check that a majority of the servers runs, and that"
            + " distributed-lock.zookeeper.connect-string names them, with a chroot that exists if it has one."
            + " For tests without ZooKeeper set distributed-lock.backend=local";

    private static final int FIRST_DELAY_MILLIS = 100;
    private static final int MAX_DELAY_MILLIS = 1_000;

    /** By the end of these, the backend has answered "unknown". */
    private static final int MAX_RETRIES = 3;

    /** Created by Spring. */
    public ZooKeeperLockAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnLockBackend(ZooKeeperLockProperties.NAME)
    static class InUse {

        @Bean
        @ConditionalOnMissingLockBackend
        ZooKeeperLockBackend distributedLockZookeeperBackend(
                LockSettings locks,
                ZooKeeperLockProperties properties,
                ObjectProvider<CuratorFramework> application,
                Environment environment) {
            ZooKeeperLockSettings settings = properties.settings(locks);
            CuratorFramework shared = environment.containsProperty(ZooKeeperLockProperties.CONNECT_STRING)
                    ? application.getIfUnique()
                    : application.getIfAvailable();
            if (shared != null) {
                return new ZooKeeperLockBackend(shared, settings);
            }
            CuratorFramework own = client(properties);
            return new ZooKeeperLockBackend(own, settings, own::close);
        }

        private static CuratorFramework client(ZooKeeperLockProperties properties) {
            return CuratorFrameworkFactory.builder()
                    .connectString(properties.connectString())
                    .sessionTimeoutMs((int) properties.sessionTimeout().toMillis())
                    .connectionTimeoutMs((int) properties.connectionTimeout().toMillis())
                    .retryPolicy(new BoundedExponentialBackoffRetry(FIRST_DELAY_MILLIS, MAX_DELAY_MILLIS, MAX_RETRIES))
                    .ensembleTracker(false) // use only the servers of the connect string, such as a proxy
                    .build();
        }

        @Bean
        @ConditionalOnBean(ZooKeeperLockBackend.class)
        StoreCheck distributedLockZookeeperCheck(ZooKeeperLockBackend backend, ZooKeeperLockProperties properties) {
            return new StoreCheck(
                    ZooKeeperLockProperties.NAME, properties.requiredAtStart(), () -> check(backend, properties));
        }

        private static void check(ZooKeeperLockBackend backend, ZooKeeperLockProperties properties) {
            backend.connect(properties.connectionTimeout()).ifPresent(problem -> {
                throw new LockStartException(problem, ACTION);
            });
            Duration granted = backend.sessionTimeout();
            if (granted.compareTo(properties.sessionTimeout()) < 0) {
                log.warn(
                        "{} grants sessions of {}, and not of {}: locks are in doubt after half of that without an"
                                + " answer. Raise maxSessionTimeout of the servers, or lower {}.session-timeout",
                        backend,
                        DurationText.exactly(granted),
                        DurationText.exactly(properties.sessionTimeout()),
                        ZooKeeperLockProperties.PREFIX);
            }
        }
    }
}
