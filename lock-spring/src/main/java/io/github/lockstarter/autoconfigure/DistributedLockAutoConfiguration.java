package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.SkippedCallListener;
import io.github.lockstarter.aop.AdviceOrderCheck;
import io.github.lockstarter.aop.LockAdvisor;
import io.github.lockstarter.aop.LockedBeanCheck;
import io.github.lockstarter.aop.LockedMethods;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.transaction.CommitGuard;
import io.github.lockstarter.transaction.ReactiveCommitGuard;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.util.function.SingletonSupplier;
import reactor.core.publisher.Flux;

/**
 * Auto-configures the engine, {@link io.github.lockstarter.LockTemplate} and {@link
 * io.github.lockstarter.DistributedLock} on the backend of a store's auto-configuration. Beans of the application take
 * precedence.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration" // Boot 3.5
        })
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
        return new LockBackendOption() {

            @Override
            public String name() {
                return LockBackendOption.LOCAL;
            }

            @Override
            public boolean hasReaders() {
                return true;
            }
        };
    }

    /** Invalid properties fail the start even with {@code spring.main.lazy-initialization}. */
    @Bean
    static LazyInitializationExcludeFilter distributedLockEagerProperties() {
        return (bean, definition, type) -> type.getName().startsWith("io.github.lockstarter.")
                && type.isAnnotationPresent(ConfigurationProperties.class);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
    @Import({
        LockEngineConfiguration.class,
        ReactiveLockConfiguration.class // last: its condition asks for the template of the first
    })
    static class Enabled {

        @Bean
        @ConditionalOnLockBackend(LockBackendOption.LOCAL)
        @ConditionalOnMissingLockBackend
        LocalLockBackend distributedLockLocalBackend() {
            log.warn("distributed-lock.backend is 'local': locks exclude the threads of this JVM and no other"
                    + " instance. Use it for tests only");
            return new LocalLockBackend();
        }

        /**
         * Static methods and providers: these beans exist before all others, and a bean that they injected could not be
         * proxied.
         */
        @Configuration(proxyBeanMethods = false)
        @Import(AutoProxyRegistrar.class)
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static class WithAnnotations {

            @Bean
            @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
            static LockedMethods distributedLockMethods(
                    ConfigurableListableBeanFactory beans, ObjectProvider<DistributedLockProperties> properties) {
                return new LockedMethods(
                        beans::resolveEmbeddedValue,
                        () -> properties.getObject().inTransaction());
            }

            @Bean
            @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
            static LockAdvisor distributedLockAdvisor(
                    LockedMethods methods,
                    ObjectProvider<LockOperations> operations,
                    BeanFactory beans,
                    ObjectProvider<SkippedCallListener> skippedCalls,
                    ObjectProvider<DistributedLockProperties> properties) {
                Supplier<LockOperations> byType = SingletonSupplier.of(operations::getObject);
                return new LockAdvisor(
                        methods,
                        locks -> locks.isBlank() ? byType.get() : beans.getBean(locks, LockOperations.class),
                        (name, outcome) -> skippedCalls.forEach(listener -> listener.skipped(name, outcome)),
                        () -> properties.getObject().order());
            }

            /** A child context checks requests against the settings of the parent's engine. */
            @Bean
            @ConditionalOnMissingBean
            @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
            static ConfiguredLocks distributedLockConfiguredLocks(
                    ObjectProvider<DistributedLockProperties> properties,
                    ObjectProvider<LockBackendOptions> backends,
                    ObjectProvider<LockNames> otherNames) {
                return new ConfiguredLocks(properties, backends, otherNames);
            }

            @Bean
            @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
            static LockedBeanCheck distributedLockBeanCheck(
                    DefaultListableBeanFactory beans, LockedMethods methods, ConfiguredLocks configured) {
                return new LockedBeanCheck(beans, methods, configured);
            }

            @Bean
            @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
            static AdviceOrderCheck distributedLockAdviceOrderCheck(
                    ConfigurableListableBeanFactory beans, LockedMethods methods) {
                return new AdviceOrderCheck(beans, methods);
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(ConfigurableTransactionManager.class)
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static class WithTransactions {

            @Bean
            @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
            static CommitGuard distributedLockCommitGuard(ConfigurableListableBeanFactory beans) {
                return new CommitGuard(beans);
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass({ReactiveTransactionManager.class, Flux.class})
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static class WithReactiveTransactions {

            @Bean
            @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
            static ReactiveCommitGuard distributedLockReactiveCommitGuard() {
                return new ReactiveCommitGuard();
            }
        }
    }

    /**
     * Needed even if {@code spring.aop.auto=false}: annotated methods would run unlocked. Proxies classes as Boot does.
     */
    static final class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

        private final Environment environment;

        AutoProxyRegistrar(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            if (environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
                AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
            }
        }
    }

    /** Native-image hints for types that every store finds by reflection. */
    static final class LockRuntimeHints implements RuntimeHintsRegistrar {

        /** Tested by the annotation. */
        private static final List<String> OPTIONAL_CLASSES = List.of(
                "io.micrometer.context.ContextSnapshotFactory",
                "kotlinx.coroutines.reactor.MonoKt",
                "org.springframework.core.Nullness",
                "org.springframework.transaction.support.TransactionSynchronizationManager",
                "reactor.core.publisher.Flux");

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
            Stream.concat(OPTIONAL_CLASSES.stream(), StoreModule.autoConfigurations())
                    .forEach(type -> hints.reflection().registerTypeIfPresent(loader, type, hint -> {}));
            hints.proxies().registerJdkProxy(DistributedLock.class);
        }
    }
}
