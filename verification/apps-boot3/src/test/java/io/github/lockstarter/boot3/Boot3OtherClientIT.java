package io.github.lockstarter.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.kit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** An application whose connection factory belongs to another client: Boot 3.5 makes the one for the locks. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class Boot3OtherClientIT {

    @Test
    void usesItsOwnLettuceClientWhenTheApplicationUsesAnotherClient(CapturedOutput output) {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application =
                        ShippingApplication.start(redis.port(), OtherClient.class)) {
            assertThat(application.getBean(ShippingService.class).ship(42)).isPositive();
            assertThat(output)
                    .contains("Distributed locks use a Lettuce client of their own, to Redis at 127.0.0.1:"
                            + redis.port());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherClient {

        @Bean
        RedisConnectionFactory otherConnectionFactory() {
            return mock(RedisConnectionFactory.class);
        }
    }
}
