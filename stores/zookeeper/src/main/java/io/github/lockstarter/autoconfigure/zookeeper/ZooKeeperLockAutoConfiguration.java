package io.github.lockstarter.autoconfigure.zookeeper;

import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.zookeeper.ZooKeeperLockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockSettings;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Locks in ZooKeeper, as {@code distributed-lock.zookeeper.*} say, or over the one {@code CuratorFramework} that the
 * application declares. Makes nothing where {@link DistributedLockAutoConfiguration} is excluded.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties(ZooKeeperLockProperties.class)
public final class ZooKeeperLockAutoConfiguration {

    /** Created by Spring. */
    public ZooKeeperLockAutoConfiguration() {}

    /** What is made only if locks are kept there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnLockBackend(ZooKeeperLockProperties.NAME)
    static class InUse {

        @Bean
        @ConditionalOnMissingLockBackend
        ZooKeeperLockBackend distributedLockZookeeperBackend(
                LockSettings locks, ZooKeeperLockProperties properties, ObjectProvider<CuratorFramework> application) {
            ZooKeeperLockSettings settings = properties.settings(locks);
            CuratorFramework shared = application.getIfUnique();
            if (shared != null) {
                return new ZooKeeperLockBackend(shared, settings);
            }
            CuratorFramework own = OwnClient.from(properties);
            return new ZooKeeperLockBackend(own, settings, own::close);
        }

        @Bean
        @ConditionalOnBean(ZooKeeperLockBackend.class)
        ZooKeeperLockLifecycle distributedLockZookeeperLifecycle(
                ZooKeeperLockBackend backend, ZooKeeperLockProperties properties) {
            return new ZooKeeperLockLifecycle(backend, properties);
        }
    }
}
