package io.github.lockstarter.demo.experiment.pageview;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The store of the page views: the application's Redis or a separate one, so that data does not move when the locks
 * move to sentinels or a cluster. The connection factory of the separate one is not a bean, so that the locks do not
 * use it.
 */
@Configuration(proxyBeanMethods = false)
class StoreConfiguration {

    @Bean
    ViewStore viewStore(PageViewProperties properties, StringRedisTemplate redis) {
        Integer port = properties.storePort();
        return port == null ? new ViewStore(redis, () -> {}) : ViewStore.at(port);
    }
}
