package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.kit.redis.RedisExtension;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The starter in a parent context and in its child, on a real server. */
class ParentContextIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        DistributedLockAutoConfiguration.class,
        RedisLockAutoConfiguration.class
    })
    static class Parent {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        DistributedLockAutoConfiguration.class,
        RedisLockAutoConfiguration.class
    })
    @Import(Orders.class)
    static class Child {}

    static class Orders {
        @DistributedLock(name = "order", key = "#id", maxWaitMs = 0)
        public List<String> ship(long id) {
            return LockHandle.current().map(LockHandle::keys).orElse(List.of());
        }
    }

    private static SpringApplicationBuilder application(Class<?> configuration) {
        return new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties(RedisApplication.properties(REDIS.server()));
    }

    @Test
    void aChildContextUsesTheLocksOfItsParentWhichOutliveIt() {
        try (ConfigurableApplicationContext parent = application(Parent.class).run()) {
            LockOperations locks = parent.getBean(LockOperations.class);
            try (ConfigurableApplicationContext child =
                    application(Child.class).parent(parent).run()) {
                Orders orders = child.getBean(Orders.class);
                assertThat(orders.ship(1)).containsExactly("order:1");
                assertThat(child.getBeanNamesForType(RedisLockAutoConfiguration.RedisLockLifecycle.class))
                        .isEmpty();
                LockHandle other = locks.acquireAsync("order:1").join();
                assertThatThrownBy(() -> orders.ship(1)).isInstanceOf(LockNotAcquiredException.class);
                other.release();
            }
            try (LockHandle lock = locks.acquire("order:1")) {
                assertThat(REDIS.server().commands().exists("lock:{order:1}")).isEqualTo(1);
                lock.ensureHeld();
            }
        }
    }
}
