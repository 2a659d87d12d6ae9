package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.support.SmartLifecycleRoleController;

/** Endpoints of a role, started and stopped by Spring Integration's own controller. */
@Timeout(300)
class RoleEventsTests {

    private static final String ROLE = "billing";

    private final LocalLockBackend store = new LocalLockBackend();
    private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DistributedLockAutoConfiguration.class, LeaderAutoConfiguration.class})
    static class Instance {

        @Bean
        Endpoint endpoint() {
            return new Endpoint();
        }

        @Bean
        SmartLifecycleRoleController roles(Endpoint endpoint) {
            return new SmartLifecycleRoleController(List.of(ROLE), List.of(endpoint));
        }
    }

    /** Started by its role alone. */
    static class Endpoint implements SmartLifecycle {

        final List<AbstractLeaderEvent> events = new CopyOnWriteArrayList<>();
        private volatile boolean running;

        @EventListener
        void on(AbstractLeaderEvent event) {
            events.add(event);
        }

        @Override
        public boolean isAutoStartup() {
            return false;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    @AfterEach
    void close() {
        instances.forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext start() {
        ConfigurableApplicationContext instance = new SpringApplicationBuilder(Instance.class)
                .web(WebApplicationType.NONE)
                .properties("distributed-lock.leader.roles=" + ROLE)
                .initializers(context -> context.getBeanFactory().registerSingleton("sharedStore", store))
                .run();
        instances.add(instance);
        return instance;
    }

    private static Endpoint endpoint(ConfigurableApplicationContext instance) {
        return instance.getBean(Endpoint.class);
    }

    @Test
    void runsTheEndpointsOfARoleOnlyOnItsLeader() {
        ConfigurableApplicationContext first = start();
        await().until(() -> endpoint(first).isRunning());
        ConfigurableApplicationContext second = start();
        assertThat(endpoint(second).isRunning()).isFalse();

        first.getBean(Leaders.class).role(ROLE).yield(Duration.ofMinutes(10));
        await().until(() -> endpoint(second).isRunning());
        assertThat(endpoint(first).isRunning()).isFalse();
    }

    @Test
    void yieldsThroughTheContextOfTheEvent() {
        ConfigurableApplicationContext first = start();
        await().until(() -> endpoint(first).events.size() == 1);
        start();
        AbstractLeaderEvent granted = endpoint(first).events.get(0);
        assertThat(granted.getRole()).isEqualTo(ROLE);
        assertThat(granted.getContext().getRole()).isEqualTo(ROLE);
        assertThat(granted.getContext().isLeader()).isTrue();

        granted.getContext().yield();
        await().until(() -> endpoint(first).events.size() >= 2); // revoked; it may lead again
        assertThat(granted.getContext().isLeader()).isFalse();
    }
}
