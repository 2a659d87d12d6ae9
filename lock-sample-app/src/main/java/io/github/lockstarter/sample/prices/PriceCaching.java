package io.github.lockstarter.sample.prices;

import java.time.Duration;
import java.util.Set;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Configures a Redis cache that all instances share. */
@Configuration(proxyBeanMethods = false)
@EnableCaching
class PriceCaching {

    /** An unknown cache name fails on startup. */
    @Bean
    RedisCacheManager cacheManager(RedisConnectionFactory redis) {
        RedisCacheConfiguration tenMinutes =
                RedisCacheConfiguration.defaultCacheConfig().entryTtl(Duration.ofMinutes(10));
        return RedisCacheManager.builder(redis)
                .cacheDefaults(tenMinutes)
                .initialCacheNames(Set.of("prices"))
                .disableCreateOnMissingCache()
                .build();
    }
}
