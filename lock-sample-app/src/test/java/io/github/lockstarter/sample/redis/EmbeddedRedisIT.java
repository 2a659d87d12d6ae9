package io.github.lockstarter.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.sample.FreePort;
import io.github.lockstarter.sample.SampleApp;
import io.github.lockstarter.sample.SampleClient;
import io.github.lockstarter.sample.SampleClient.Answer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

class EmbeddedRedisIT {

    @Test
    void endsWithTheApplication() {
        int port;
        try (ConfigurableApplicationContext app = startWithRedisOn(FreePort.find())) {
            port = app.getBean(EmbeddedRedis.class).port();
            assertThat(FreePort.isFree(port)).isFalse();
            assertThat(app.getBean(RedisInUse.class).description())
                    .contains("its own 7.0.15 at 127.0.0.1:" + port, "nothing listens on localhost:");
        }
        assertThat(FreePort.isFree(port)).isTrue();
    }

    @Test
    void isNotStartedWhereARedisListens() {
        try (EmbeddedRedis existing = EmbeddedRedis.start()) {
            try (ConfigurableApplicationContext app = startWithRedisOn(existing.port())) {
                assertThat(app.getBeanProvider(EmbeddedRedis.class).stream()).isEmpty();
                assertThat(app.getBean(RedisInUse.class).description())
                        .isEqualTo("the one at localhost:" + existing.port() + " (spring.data.redis.*)");
                assertThat(client(app).placeOrder()).isEqualTo(1);
            }
            assertThat(FreePort.isFree(existing.port())).isFalse();
        }
    }

    @Test
    void answersUnavailableOnceRedisIsGone() {
        try (ConfigurableApplicationContext app = startWithRedisOn(FreePort.find())) {
            SampleClient client = client(app);
            long orderId = client.placeOrder();

            app.getBean(EmbeddedRedis.class).close();

            Answer shipment = client.post("/orders/" + orderId + "/shipment");
            assertThat(shipment.status()).isEqualTo(503);
            assertThat(shipment.text("title")).isEqualTo("Locks unavailable");
            assertThat(shipment.text("lock")).isEqualTo("OrderService.ship:" + orderId);
            assertThat(client.get("/orders/" + orderId).status()).isEqualTo(503);
            assertThat(client.get("/actuator/health").status()).isEqualTo(503);
        }
    }

    @Test
    void mayBeClosedTwice() {
        EmbeddedRedis redis = EmbeddedRedis.start();

        redis.close();
        redis.close();

        assertThat(FreePort.isFree(redis.port())).isTrue();
    }

    private static ConfigurableApplicationContext startWithRedisOn(int redisPort) {
        return new SpringApplicationBuilder(SampleApp.class)
                .run("--server.port=0", "--spring.data.redis.port=" + redisPort);
    }

    private static SampleClient client(ConfigurableApplicationContext app) {
        return new SampleClient(app.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }
}
