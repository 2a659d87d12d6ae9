package io.github.lockstarter.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.sample.SampleApp;
import io.github.lockstarter.sample.SampleClient;
import io.github.lockstarter.sample.SampleClient.Answer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

class RedisIfAbsentIT {

    @Test
    void startsARedisThatStopsWithTheApplication() {
        RedisServer own;
        try (ConfigurableApplicationContext app = startWithRedisOn(FreePort.next())) {
            own = app.getBean(RedisIfAbsent.class).server();
            assertThat(own).isNotNull();
            assertThat(own.answers()).isTrue();
            SampleClient client = client(app);
            long orderId = client.placeOrder();

            own.kill();

            Answer shipment = client.post("/orders/" + orderId + "/shipment");
            assertThat(shipment.status()).isEqualTo(503);
            assertThat(shipment.text("title")).isEqualTo("Locks unavailable");
            assertThat(shipment.body().toString()).doesNotContain("OrderService.ship", "localhost");
            assertThat(client.get("/orders/" + orderId).status()).isEqualTo(503);
            assertThat(client.get("/actuator/health").status()).isEqualTo(503);
            own.restart();
        }
        assertThat(own.answers()).isFalse();
    }

    @Test
    @Tag("full")
    void startsNoRedisWhenOneIsRunning() {
        try (RedisServer existing = RedisServer.start()) {
            try (ConfigurableApplicationContext app = startWithRedisOn(existing.port())) {
                assertThat(app.getBean(RedisIfAbsent.class).server()).isNull();
                assertThat(client(app).placeOrder()).isEqualTo(1);
            }
            assertThat(existing.answers()).isTrue();
        }
    }

    private static ConfigurableApplicationContext startWithRedisOn(int redisPort) {
        return new SpringApplicationBuilder(SampleApp.class)
                .run("--server.port=0", "--spring.data.redis.port=" + redisPort);
    }

    private static SampleClient client(ConfigurableApplicationContext app) {
        return new SampleClient(app.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }
}
