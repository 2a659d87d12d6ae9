package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** With the lock registry of Spring Integration, on the application's connection factory, with the same prefix. */
@Tag(Effort.FULL)
class SpringIntegrationIT {

    private static RunningApplication application;

    @BeforeAll
    static void start() {
        application = RunningApplication.start(
                SpringIntegrationApplication.class, RunningApplication.Peer.WITHOUT_AUTO_CONFIGURATION);
    }

    @AfterAll
    static void stop() {
        if (application != null) {
            application.close();
        }
    }

    /** A benefit of a migration: the registry renews nothing without a scheduler, and here each lock is renewed. */
    @Test
    @Tag(Effort.TIMING)
    void workLongerThanTheLeaseLosesTheLockOnlyInSpringIntegration() throws InterruptedException {
        Lock theirs = new RedisLockRegistry(
                        application.bean(RedisConnectionFactory.class), "short", Duration.ofSeconds(1))
                .obtain("order:42");
        LockOperations locks = application.bean(LockOperations.class);
        LockRequest request = LockRequest.of("short:order:42").lease(Duration.ofSeconds(3));

        assertThat(theirs.tryLock()).isTrue();
        try (LockHandle ours = locks.acquire(request)) {
            Thread.sleep(4_000); // work that takes longer than the lease
            ours.ensureHeld();
        }
        assertThatThrownBy(theirs::unlock).isInstanceOf(ConcurrentModificationException.class);

        LockHandle notRenewed = locks.acquire(request.withoutRenewal());
        Thread.sleep(4_000); // as above
        assertThatThrownBy(notRenewed::close).isInstanceOf(LockLostException.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class SpringIntegrationApplication {

        @Bean(destroyMethod = "destroy")
        RedisLockRegistry lockRegistry(RedisConnectionFactory redis) {
            return new RedisLockRegistry(redis, "lock");
        }
    }
}
