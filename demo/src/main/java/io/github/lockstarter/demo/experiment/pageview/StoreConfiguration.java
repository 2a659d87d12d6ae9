package io.github.lockstarter.demo.experiment.pageview;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The store of the page views: the application's Redis, or one of its own, so that the data stay where they are when
 * the locks move to a sentinel's master or a cluster. Its connection factory is no bean: the locks, and everything else
 * of Spring, use the application's.
 */
@Configuration(proxyBeanMethods = false)
class StoreConfiguration {

    @Bean
    ViewStore viewStore(PageViewProperties properties, StringRedisTemplate redis) {
        Integer port = properties.storePort();
        return port == null ? new ViewStore(redis, () -> {}) : ViewStore.at(port);
    }
}
