package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;

import com.baomidou.lock.LockTemplate;
import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** With all of them at once, each with its own auto-configuration and the bean names of its documentation. */
class AllPeersIT {

    /** The same name is another lock in each library, so that all users of a lock change over together. */
    @Test
    void theStarterWorksNextToAllOtherLockLibraries() throws Exception {
        try (RunningApplication application =
                RunningApplication.start(AllPeersApplication.class, RunningApplication.Peer.ALL)) {
            Lock ofRedisson = application.bean(RedissonClient.class).getLock("order:42");
            Lock ofSpring = application.bean(RedisLockRegistry.class).obtain("order:42");
            LockTemplate lock4j = application.bean(LockTemplate.class);
            assertThat(ofRedisson.tryLock()).isTrue();
            assertThat(ofSpring.tryLock()).isTrue();
            // Redisson and the template of lock4j have no prefix, so they are in each other's way.
            assertThat(lock4j.lock("lock4j:order:42", 30_000, 1_000)).isNotNull();
            LockProvider shedLock = application.bean(LockProvider.class);
            assertThat(shedLock).isInstanceOf(RedisLockProvider.class);
            SimpleLock ofShedLock = shedLock.lock(
                            new LockConfiguration(Instant.now(), "order:42", Duration.ofSeconds(30), Duration.ZERO))
                    .orElseThrow();

            for (String key : List.of("order:42", "lock4j:order:42")) {
                Optional<LockHandle> ours =
                        application.bean(LockOperations.class).tryAcquire(key);
                assertThat(ours).hasValueSatisfying(LockHandle::ensureHeld);
                ours.orElseThrow().close();
            }
            Stock stock = application.bean(Stock.class);
            CountingSection.crowd(stock::take);
            assertThat(stock.section().mostInside()).isEqualTo(1);
            assertThat(stock.section().runs()).isEqualTo(CountingSection.ALL);
            ofShedLock.unlock();
            ofSpring.unlock();
            ofRedisson.unlock();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "30s")
    @Import(Stock.class)
    static class AllPeersApplication {

        @Bean
        LockProvider lockProvider(RedisConnectionFactory redis) {
            return new RedisLockProvider(redis);
        }

        @Bean(destroyMethod = "destroy")
        RedisLockRegistry lockRegistry(RedisConnectionFactory redis) {
            return new RedisLockRegistry(redis, "lock");
        }
    }

    static class Stock {

        private final CountingSection section = new CountingSection();

        @DistributedLock(name = "stock")
        public void take() {
            section.run();
        }

        public CountingSection section() {
            return section;
        }
    }
}
