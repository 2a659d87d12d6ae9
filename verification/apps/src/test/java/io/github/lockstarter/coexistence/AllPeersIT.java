package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;

import com.baomidou.lock.LockTemplate;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** With all of them at once, each with its own auto-configuration and the bean names of its documentation. */
class AllPeersIT {

    @Test
    void theStarterWorksNextToAllOtherLockLibraries() {
        try (RunningApplication application =
                RunningApplication.start(AllPeersApplication.class, RunningApplication.Peer.ALL)) {
            Lock ofRedisson = application.bean(RedissonClient.class).getLock("order:42");
            Lock ofSpring = application.bean(RedisLockRegistry.class).obtain("order:42");
            LockTemplate lock4j = application.bean(LockTemplate.class);
            assertThat(ofRedisson.tryLock()).isTrue();
            assertThat(ofSpring.tryLock()).isTrue();
            // Redisson and the template of lock4j have no prefix, so they are in each other's way.
            assertThat(lock4j.lock("lock4j:order:42", 30_000, 1_000)).isNotNull();
            assertThat(application.bean(LockProvider.class)).isInstanceOf(RedisLockProvider.class);

            Optional<LockHandle> ours = application.bean(LockOperations.class).tryAcquire("order:42");

            assertThat(ours)
                    .hasValueSatisfying(lock -> assertThat(lock.isHeld()).isTrue());
            ours.orElseThrow().close();
            ofSpring.unlock();
            ofRedisson.unlock();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "30s")
    static class AllPeersApplication {

        @Bean
        LockProvider lockProvider(RedisConnectionFactory redis) {
            return new RedisLockProvider(redis);
        }

        @Bean(destroyMethod = "destroy")
        RedisLockRegistry lockRegistry(RedisConnectionFactory redis) {
            return new RedisLockRegistry(redis, "registry");
        }
    }
}
