package io.github.lockstarter.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.leader.Leaders;
import io.github.lockstarter.leader.Leadership;
import io.github.lockstarter.shedlock.DistributedLockProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.integration.leader.event.AbstractLeaderEvent;

/** An application with ShedLock, and with Spring Integration 6.5. */
@Tag("full")
class Boot3BridgesIT {

    private static final LockConfiguration REPORT =
            new LockConfiguration(Instant.now(), "report", Duration.ofMinutes(1), Duration.ZERO);

    @Test
    void bridgesShedLock() {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = ShippingApplication.start(redis.port())) {
            LockOperations locks = application.getBean(LockOperations.class);
            SimpleLock lock = new DistributedLockProvider(locks, Duration.ofSeconds(30))
                    .lock(REPORT)
                    .orElseThrow();
            assertThat(locks.tryAcquire("shedlock:report")).isEmpty();
            lock.unlock();
        }
    }

    @Test
    void publishesLeaderEventsToSpringIntegration() {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = ShippingApplication.start(redis.port())) {
            List<String> events = new CopyOnWriteArrayList<>();
            application.addApplicationListener((AbstractLeaderEvent event) ->
                    events.add(event.getRole() + " " + event.getClass().getSimpleName()));
            Leadership leadership = application.getBean(Leaders.class).role("billing");
            assertThat(Polling.until(leadership::isLeader)).isTrue();
            leadership.yield(Duration.ofMinutes(1));

            assertThat(Polling.until(() -> events.size() == 2)).isTrue();
            assertThat(events).containsExactly("billing OnGrantedEvent", "billing OnRevokedEvent");
        }
    }
}
