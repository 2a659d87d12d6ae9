package io.github.lockstarter.sample.redis;

import io.github.lockstarter.sample.process.Loopback;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * A Redis of the sample's own where none listens. Its connection details replace {@code spring.data.redis.*}; as the
 * connection factory depends on them, the server outlives every connection.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(OnAbsentRedisCondition.class)
class EmbeddedRedisConfiguration {

    @Bean
    EmbeddedRedis embeddedRedis() {
        return EmbeddedRedis.start();
    }

    @Bean
    DataRedisConnectionDetails embeddedRedisConnectionDetails(EmbeddedRedis redis) {
        return new EmbeddedRedisConnectionDetails(redis.port());
    }

    private record EmbeddedRedisConnectionDetails(int port) implements DataRedisConnectionDetails {

        @Override
        public Standalone getStandalone() {
            return Standalone.of(Loopback.HOST, port);
        }
    }
}
