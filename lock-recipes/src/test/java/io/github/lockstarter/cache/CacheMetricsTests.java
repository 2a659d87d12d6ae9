package io.github.lockstarter.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.cache.SingleLoadCacheInterceptor.LoadOutcome;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class CacheMetricsTests {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void countsTheMissingValuesOfACacheByOutcome() {
        CacheMetrics caches = new CacheMetrics(registry);
        for (LoadOutcome outcome : LoadOutcome.values()) {
            caches.missed("products", outcome);
            assertThat(registry.get("distributed.lock.cache")
                            .tag("cache", "products")
                            .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                            .counter()
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    void appearOnlyWithTheMetersOfLocks() {
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DistributedLockAutoConfiguration.class, SingleLoadCacheAutoConfiguration.class))
                .withPropertyValues("distributed-lock.backend=local")
                .withBean(MeterRegistry.class, () -> registry);

        application.run(context -> assertThat(context).doesNotHaveBean(CacheMetrics.class));
        application
                .withConfiguration(AutoConfigurations.of(LockObservabilityAutoConfiguration.class))
                .run(context -> assertThat(context).hasSingleBean(CacheMetrics.class));
    }
}
