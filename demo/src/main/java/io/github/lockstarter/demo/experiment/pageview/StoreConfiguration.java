package io.github.lockstarter.demo.experiment.pageview;

import io.github.lockstarter.sample.process.Loopback;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The store of the page views: the application's Redis, or one of its own, so that the data stay where they are when
 * the locks move to a sentinel's master or a cluster. Its connection factory is no bean: the locks, and everything else
 * of Spring, use the application's.
 */
@Configuration(proxyBeanMethods = false)
class StoreConfiguration {

    @Bean
    ViewStore viewStore(StoreProperties properties, StringRedisTemplate redis) {
        Integer port = properties.port();
        if (port == null) {
            return new ViewStore(redis, () -> {});
        }
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(Loopback.HOST, port));
        connections.afterPropertiesSet();
        connections.start();
        return new ViewStore(new StringRedisTemplate(connections), connections::destroy);
    }
}
