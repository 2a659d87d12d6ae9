package io.github.lockstarter.leader;

import io.github.lockstarter.autoconfigure.redis.RedisApplication;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.leader.testing.LeaderElectionSuite;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Leader election on Redis. Tests specific to Redis are in {@link LeaderConnectionIT} and {@link LeaderProcessIT}. */
@Tag(Effort.FULL)
class LeaderElectionIT extends LeaderElectionSuite {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DataRedisAutoConfiguration.class, RedisLockAutoConfiguration.class})
    static class Store {}

    @Override
    protected SpringApplicationBuilder onStore(SpringApplicationBuilder application) {
        return application.sources(Store.class).properties(RedisApplication.properties(REDIS.server()));
    }
}
