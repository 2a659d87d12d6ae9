package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.AheadOfTimeApplication;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An application with locks in Redis that is processed ahead of time, where no Redis runs. */
@Tag(Effort.FULL)
class AheadOfTimeIT {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        DistributedLockAutoConfiguration.class,
        RedisLockAutoConfiguration.class
    })
    static class Application {

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {

        @DistributedLock(name = "order", key = "#id")
        public long ship(long id) {
            return LockHandle.current().orElseThrow().fencingToken();
        }
    }

    @Test
    @CompileWithForkedClassLoader
    void usesTheRedisThatIsConfiguredAtStartup() {
        AheadOfTimeApplication.of(Application.class, application -> {
            try (RedisServer redis = RedisServer.start()) {
                application.start(
                        context -> {
                            Orders orders = context.getBean(Orders.class);
                            assertThat(orders.ship(42)).isLessThan(orders.ship(42));
                            assertThat(redis.commands().get("lock:fence")).isNotNull();
                        },
                        RedisApplication.properties(redis));
            }
        });
    }

    @Test
    void registersAHintForTheFieldOfTheConnectionFactory() throws NoSuchFieldException {
        RuntimeHints hints = AheadOfTimeApplication.hints(Application.class);

        assertThat(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(LettuceConnectionFactory.class.getDeclaredField(ApplicationRedis.SETUP_FIELD)))
                .accepts(hints);
    }
}
