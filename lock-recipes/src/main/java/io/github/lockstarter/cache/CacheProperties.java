package io.github.lockstarter.cache;

import io.github.lockstarter.autoconfigure.LockNames;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration of caches.
 *
 * @param names Caches for which one instance loads a missing value of a @Cacheable(sync = true) method.
 */
@ConfigurationProperties(prefix = CacheProperties.PREFIX, ignoreUnknownFields = false)
record CacheProperties(@DefaultValue Set<String> names) implements LockNames {

    static final String PREFIX = "distributed-lock.cache";

    @Override
    public boolean contains(String name) {
        return names.stream().map(SingleLoadCacheInterceptor::lockName).anyMatch(name::equals);
    }
}
