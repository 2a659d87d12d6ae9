package io.github.lockstarter.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.PropertySource;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class Boot3StartFailureIT {

    @Test
    void reportsAnUnreachableRedis(CapturedOutput output) {
        int port = FreePort.next();

        assertThatThrownBy(() -> ShippingApplication.start(port)).isInstanceOf(Exception.class);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Redis")
                .contains("127.0.0.1:" + port);
    }

    @Test
    void namesAnInvalidKeyExpression(CapturedOutput output) {
        try (RedisServer redis = RedisServer.start()) {
            assertThatThrownBy(() -> ShippingApplication.start(redis.port(), Misspelt.class))
                    .isInstanceOf(Exception.class);
        }

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("#ordrId")
                .contains("orderId");
    }

    @Test
    void namesAnUnknownProperty(CapturedOutput output) {
        assertThatThrownBy(() -> ShippingApplication.start(FreePort.next(), UnknownProperty.class))
                .isInstanceOf(Exception.class);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("distributed-lock.redis.comand-timeout does not exist")
                .contains("class path resource [unknown.properties]");
    }

    @Test
    void connectsToTheStaticNodesInsteadOfLocalhost(CapturedOutput output) {
        assertThatThrownBy(() -> ShippingApplication.start(FreePort.next(), MasterAndReplicas.class))
                .isInstanceOf(Exception.class);

        assertThat(output).contains("APPLICATION FAILED TO START").contains("the master among [127.0.0.1:1]");
    }

    /** Connects to nodes that are listed one by one. */
    static class MasterAndReplicas {

        private static final int UNUSED_PORT = 1;

        @Bean
        LettuceConnectionFactory redisConnectionFactory() {
            return new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("127.0.0.1", UNUSED_PORT));
        }
    }

    /** Adds a file with a name that no property has. */
    @PropertySource("classpath:unknown.properties")
    static class UnknownProperty {}

    /** Refers to a parameter that does not exist. */
    static class Misspelt {

        @DistributedLock(key = "#ordrId")
        public void ship(long orderId) {}
    }
}
