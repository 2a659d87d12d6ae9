package io.github.lockstarter.cache;

import io.github.lockstarter.cache.SingleLoadCacheInterceptor.LoadOutcome;
import io.micrometer.core.instrument.MeterRegistry;

/** For tests of other packages. */
public final class MissedValue {

    private MissedValue() {}

    public static void count(MeterRegistry registry) {
        new CacheMetrics(registry).missed("products", LoadOutcome.LOADED);
    }
}
