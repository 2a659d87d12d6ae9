package io.github.lockstarter.cache;

import io.github.lockstarter.cache.SingleLoadCacheInterceptor.Outcome;
import io.micrometer.core.instrument.MeterRegistry;

/** For tests of other packages. */
public final class MissedValue {

    private MissedValue() {}

    public static void count(MeterRegistry registry) {
        new CacheMetrics(registry).missed("products", Outcome.LOADED);
    }
}
