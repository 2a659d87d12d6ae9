package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.autoconfigure.ConditionalOnLockBackend;
import io.github.lockstarter.autoconfigure.ConditionalOnMissingLockBackend;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.autoconfigure.StoreCheck;
import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.jdbc.JdbcUnavailableException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Locks in the database of the application's {@code DataSource}, configured by {@code distributed-lock.jdbc.*}.
 * Inactive where {@link DistributedLockAutoConfiguration} is excluded.
 */
@AutoConfiguration(
        after = DistributedLockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration"
        })
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties(JdbcLockProperties.class)
public final class JdbcLockAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(JdbcLockAutoConfiguration.class);

    /** Created by Spring. */
    public JdbcLockAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnLockBackend(JdbcLockProperties.NAME)
    @Import(DatabaseInitializationDependencyConfigurer.class)
    static class InUse {

        @Bean
        @ConditionalOnMissingLockBackend
        LockDataSource distributedLockDataSource(
                JdbcLockProperties properties,
                ObjectProvider<DataSource> all,
                @DistributedLockDataSource ObjectProvider<DataSource> marked) {
            int forRenewals = 1;
            return LockDataSource.of(all, marked, properties.threads() + forRenewals, properties.commandTimeout());
        }

        @Bean
        @ConditionalOnMissingLockBackend
        LockTableInitializer distributedLockTableInitializer(LockDataSource database, JdbcLockProperties properties) {
            return new LockTableInitializer(database.source(), properties);
        }

        /** Depends on database initialization, for beans that acquire a lock while they are initialized. */
        @Bean
        @ConditionalOnMissingLockBackend
        @DependsOnDatabaseInitialization
        JdbcLockBackend distributedLockJdbcBackend(
                LockSettings locks, JdbcLockProperties properties, LockDataSource database) {
            return new JdbcLockBackend(database.source(), properties.settings(locks));
        }

        @Bean
        @ConditionalOnBean(JdbcLockBackend.class)
        StoreCheck distributedLockJdbcCheck(JdbcLockBackend backend, JdbcLockProperties properties) {
            return new StoreCheck(JdbcLockProperties.NAME, properties.requiredAtStart(), () -> check(backend));
        }

        private static void check(JdbcLockBackend backend) {
            try {
                backend.start();
                log.info("Distributed locks are kept in {}", backend);
                backend.warnings().forEach(log::warn);
            } catch (JdbcUnavailableException e) {
                throw new LockStartException(String.valueOf(e.getMessage()), e.remedy(), e);
            }
        }
    }
}
