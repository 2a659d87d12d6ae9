package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.transaction.CommitGuard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Auto-configures the engine, {@link io.github.lockstarter.LockTemplate} and {@link
 * io.github.lockstarter.DistributedLock} on the backend of a store's auto-configuration. Beans of the application take
 * precedence.
 */
@AutoConfiguration
@EnableConfigurationProperties(DistributedLockProperties.class)
@Import(DisabledLockConfiguration.class)
public final class DistributedLockAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(DistributedLockAutoConfiguration.class);

    static final String OPTIONS = "distributedLockBackendOptions";

    /** Created by Spring. */
    public DistributedLockAutoConfiguration() {}

    @Bean(OPTIONS)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockBackendOptions distributedLockBackendOptions(
            DistributedLockProperties properties,
            ObjectProvider<LockBackendOption> options,
            Environment environment,
            ConfigurableListableBeanFactory beans) {
        return new LockBackendOptions(properties, options.stream(), environment, beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockBackendOption distributedLockLocalOption() {
        return () -> LockBackendOption.LOCAL;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
    @Import({
        LockEngineConfiguration.class,
        LockAnnotationConfiguration.class,
        ReactiveLockConfiguration.class // last: its condition asks for the template of the first
    })
    static class Enabled {

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnLockBackend(LockBackendOption.LOCAL)
        static class InThisJvm {

            @Bean
            @ConditionalOnMissingLockBackend
            LocalLockBackend distributedLockLocalBackend() {
                log.warn("distributed-lock.backend is 'local': locks exclude the threads of this JVM and no other"
                        + " instance. Use it for tests only");
                return new LocalLockBackend();
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(ConfigurableTransactionManager.class)
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static class WithTransactions {

            @Bean
            @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
            static CommitGuard distributedLockCommitGuard(
                    ConfigurableListableBeanFactory beans, ObjectProvider<DistributedLockProperties> properties) {
                return new CommitGuard(beans, () -> properties.getObject().onLost());
            }
        }
    }
}
