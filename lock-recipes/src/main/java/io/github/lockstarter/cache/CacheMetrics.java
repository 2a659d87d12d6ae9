package io.github.lockstarter.cache;

import io.github.lockstarter.cache.SingleLoadCacheInterceptor.LoadOutcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;

/** Counts missing values of caches that load once over all instances. Thread-safe. */
record CacheMetrics(MeterRegistry registry) {

    void missed(String cache, LoadOutcome outcome) {
        Tags tags = Tags.of("cache", cache, "outcome", outcome.name().toLowerCase(Locale.ROOT));
        Counter.builder("distributed.lock.cache")
                .description("Missing values of caches that load once over all instances")
                .tags(tags)
                .register(registry)
                .increment();
    }
}
