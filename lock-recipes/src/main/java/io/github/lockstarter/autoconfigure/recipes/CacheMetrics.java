package io.github.lockstarter.autoconfigure.recipes;

import io.github.lockstarter.cache.SingleLoadCacheInterceptor.LoadOutcome;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;

/** Counts missing values of caches. Thread-safe. */
record CacheMetrics(MeterRegistry registry) {

    void missed(String cache, LoadOutcome outcome) {
        Tags tags = Tags.of("cache", cache, "outcome", outcome.name().toLowerCase(Locale.ROOT));
        RecipeMeter.CACHE.counter(registry, tags).increment();
    }
}
