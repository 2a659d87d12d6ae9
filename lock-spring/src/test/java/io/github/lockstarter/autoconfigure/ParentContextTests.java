package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.actuate.LockActuatorAutoConfiguration;
import io.github.lockstarter.actuate.LocksEndpoint;
import io.github.lockstarter.aop.LockAdvisor;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.observe.LockListeners;
import io.github.lockstarter.spi.LockBackend;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** The starter in a parent context and in its child: the locks are the parent's. */
class ParentContextTests {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DistributedLockAutoConfiguration.class,
        LockActuatorAutoConfiguration.class
    })
    static class Parent {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DistributedLockAutoConfiguration.class,
        LockActuatorAutoConfiguration.class
    })
    static class Child {
        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {
        @DistributedLock(name = "order", key = "#id", maxWaitMs = 0)
        public List<String> ship(long id) {
            return LockHandle.current().map(LockHandle::keys).orElse(List.of());
        }
    }

    static class Impossible {
        @DistributedLock
        public final void ship() {}
    }

    private static SpringApplicationBuilder application(Class<?> configuration) {
        return new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties("distributed-lock.backend=local", "management.endpoints.web.exposure.include=*");
    }

    private static ConfigurableApplicationContext childOf(ConfigurableApplicationContext parent) {
        return application(Child.class).parent(parent).run();
    }

    @Test
    void aChildContextUsesTheLocksOfItsParent() {
        try (ConfigurableApplicationContext parent = application(Parent.class).run();
                ConfigurableApplicationContext child = childOf(parent)) {
            assertThat(child.getBean(LockOperations.class)).isSameAs(parent.getBean(LockOperations.class));
            for (Class<?> once : List.of(
                    LockEngine.class,
                    LockBackend.class,
                    LockAdmin.class,
                    LockEngineLifecycle.class,
                    LockListeners.class,
                    LocksEndpoint.class,
                    HealthIndicator.class)) {
                assertThat(parent.getBeanNamesForType(once))
                        .as(once.getSimpleName())
                        .hasSize(1);
                assertThat(child.getBeanNamesForType(once))
                        .as(once.getSimpleName())
                        .isEmpty();
            }
            Orders orders = child.getBean(Orders.class);
            assertThat(orders.ship(1)).containsExactly("order:1");
            assertThat(Arrays.stream(((Advised) orders).getAdvisors()).filter(LockAdvisor.class::isInstance))
                    .hasSize(1);
            try (LockHandle other =
                    parent.getBean(LockOperations.class).acquireAsync("order:1").join()) {
                assertThat(other.isHeld()).isTrue();
                assertThatThrownBy(() -> orders.ship(1)).isInstanceOf(LockNotAcquiredException.class);
            }
        }
    }

    @Test
    void theParentLocksAfterItsChildIsClosed() {
        try (ConfigurableApplicationContext parent = application(Parent.class).run()) {
            childOf(parent).close();
            try (LockHandle lock = parent.getBean(LockOperations.class).acquire("order:1")) {
                assertThat(lock.isHeld()).isTrue();
            }
            try (ConfigurableApplicationContext second = childOf(parent)) {
                assertThat(second.getBean(Orders.class).ship(2)).containsExactly("order:2");
            }
        }
    }

    @Test
    void checksABeanOnlyInItsOwnContext() {
        try (ConfigurableApplicationContext parent = application(Parent.class).run()) {
            SpringApplicationBuilder child =
                    application(Child.class).parent(parent).sources(Impossible.class);
            assertThatThrownBy(child::run).hasStackTraceContaining("cannot override a final method");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"singleton", "prototype"})
    void aChildContextWithoutTheAutoConfigurationIsRefused(String scope) {
        try (ConfigurableApplicationContext parent = application(Parent.class).run();
                GenericApplicationContext child = new GenericApplicationContext(parent)) {
            child.registerBean("orders", Orders.class, definition -> definition.setScope(scope));
            assertThatThrownBy(child::refresh)
                    .hasMessageContaining("'orders'")
                    .rootCause()
                    .hasMessageContaining("the child context of the bean does not have");
        }
    }

    @Test
    void aParentWithoutLocksProvidesNone() {
        try (ConfigurableApplicationContext parent = application(Object.class).run();
                ConfigurableApplicationContext child = childOf(parent)) {
            assertThat(child.getBean(Orders.class).ship(1)).containsExactly("order:1");
        }
    }
}
