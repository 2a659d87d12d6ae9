package io.github.lockstarter.architecture;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.architecture.DocumentedApplication.OrderService;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.DistributedLockRedisConnectionFactory;
import io.github.lockstarter.cache.SingleLoadCacheAutoConfiguration;
import io.github.lockstarter.fence.FencesAutoConfiguration;
import io.github.lockstarter.leader.LeaderAutoConfiguration;
import io.github.lockstarter.test.InJvmLocks;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/** The application around the code of the documents: locks in this JVM, a second store, a database, a cache. */
@Configuration(proxyBeanMethods = false)
@EnableCaching
@EnableTransactionManagement
@ImportAutoConfiguration({
    DistributedLockAutoConfiguration.class,
    LeaderAutoConfiguration.class,
    SingleLoadCacheAutoConfiguration.class,
    FencesAutoConfiguration.class
})
class DocumentedConfiguration {

    @Bean
    DataSource database() {
        return new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .addScript("classpath:io/github/lockstarter/fence/h2.sql")
                .build();
    }

    @Bean
    PlatformTransactionManager transactions(DataSource database) {
        return new DataSourceTransactionManager(database);
    }

    @Bean
    TransactionTemplate transaction(PlatformTransactionManager transactions) {
        return new TransactionTemplate(transactions);
    }

    /** As shared by several instances: a {@code ConcurrentHashMap} is refused. */
    @Bean
    CacheManager caches() {
        SimpleCacheManager caches = new SimpleCacheManager();
        caches.setCaches(List.of(new ConcurrentMapCache("products", new ConcurrentSkipListMap<>(), false)));
        return caches;
    }

    @Bean
    Connections connections(
            ObjectProvider<LettuceConnectionFactory> ofTheApplication,
            @DistributedLockRedisConnectionFactory ObjectProvider<LettuceConnectionFactory> ofLocks) {
        return new Connections(ofTheApplication, ofLocks);
    }

    @Bean(defaultCandidate = false)
    InJvmLocks zookeeperLocks() {
        return new InJvmLocks();
    }

    @Bean
    HeldLocks heldLocks(LockAdmin locks) {
        return locks.heldLocks();
    }

    @Bean(defaultCandidate = false)
    HeldLocks heldZookeeperLocks(@Qualifier("zookeeperLocks") InJvmLocks locks) {
        return locks.heldLocks();
    }

    @Bean
    Orders orders() {
        return new Orders();
    }

    record Connections(
            ObjectProvider<LettuceConnectionFactory> ofTheApplication,
            ObjectProvider<LettuceConnectionFactory> ofLocks) {}

    static class Orders implements OrderService {

        @Override
        @DistributedLock(name = "order", key = "#orderId")
        public void ship(long orderId) {}
    }
}
