package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** In an application that talks to Redis through Jedis, and locks by {@code SET NX} itself. */
@ExtendWith(OutputCaptureExtension.class)
class JedisIT {

    private static RunningApplication application;
    private static String startLog;

    @BeforeAll
    static void start(CapturedOutput output) {
        application = RunningApplication.start(
                JedisApplication.class,
                RunningApplication.Peer.WITHOUT_AUTO_CONFIGURATION,
                "spring.data.redis.client-type=jedis");
        startLog = output.getAll();
    }

    @AfterAll
    static void stop() {
        if (application != null) {
            application.close();
        }
    }

    @Test
    void keepsTheConnectionFactoryOfTheApplication() {
        assertThat(application.bean(RedisConnectionFactory.class)).isInstanceOf(JedisConnectionFactory.class);
        assertThat(startLog)
                .containsOnlyOnce("Distributed locks use a Lettuce client of their own, to Redis at 127.0.0.1:");
    }

    @Test
    void bothExclude() throws Exception {
        Stock stock = application.bean(Stock.class);

        CountingSection.crowd(stock::bySetIfAbsent);
        CountingSection.crowd(stock::byStarter);

        assertThat(stock.jedis().mostInside()).isEqualTo(1);
        assertThat(stock.starter().mostInside()).isEqualTo(1);
        assertThat(stock.starter().runs()).isEqualTo(CountingSection.ALL);
    }

    @Test
    void locksInTheRedisOfTheApplication() {
        try (LockHandle lock = application.bean(LockOperations.class).acquire("order:42")) {
            lock.ensureHeld();
            assertThat(application.bean(StringRedisTemplate.class).hasKey("lock:{order:42}"))
                    .isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Stock.class)
    static class JedisApplication {}

    static class Stock {

        private final CountingSection jedis = new CountingSection();
        private final CountingSection starter = new CountingSection();
        private final StringRedisTemplate redis;

        Stock(StringRedisTemplate redis) {
            this.redis = redis;
        }

        public void bySetIfAbsent() {
            if (Boolean.TRUE.equals(redis.opsForValue().setIfAbsent("stock", "taken", Duration.ofSeconds(30)))) {
                try {
                    jedis.run();
                } finally {
                    redis.delete("stock");
                }
            }
        }

        @DistributedLock(name = "stock")
        public void byStarter() {
            starter.run();
        }

        public CountingSection jedis() {
            return jedis;
        }

        public CountingSection starter() {
            return starter;
        }
    }
}
