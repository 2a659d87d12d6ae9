package io.github.lockstarter.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.util.ClassUtils;

/** An application with ShedLock, and with Spring Integration 6.5, whose lock registries have other types than 7. */
class Boot3BridgesIT {

    private static final LockConfiguration REPORT =
            new LockConfiguration(Instant.now(), "report", Duration.ofMinutes(1), Duration.ZERO);

    @Test
    void holdsTheLocksOfShedLockAndHasNoRegistry() {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = ShippingApplication.start(redis.port())) {
            SimpleLock lock =
                    application.getBean(LockProvider.class).lock(REPORT).orElseThrow();
            assertThat(application.getBean(LockOperations.class).tryAcquire("shedlock:report"))
                    .isEmpty();
            lock.unlock();

            assertThat(ClassUtils.isPresent("org.springframework.integration.support.locks.DistributedLock", null))
                    .isFalse();
            assertThat(application.getBeanNamesForType(LockRegistry.class)).isEmpty();
            assertThat(application.containsBean("distributedLockRegistry")).isFalse();
        }
    }
}
