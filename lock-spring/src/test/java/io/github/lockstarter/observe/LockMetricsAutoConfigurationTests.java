package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent.Acquired;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Released;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LockMetricsAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LockObservabilityAutoConfiguration.class));

    private final ApplicationContextRunner withBootsRegistry = runner.withConfiguration(AutoConfigurations.of(
            MetricsAutoConfiguration.class,
            SimpleMetricsExportAutoConfiguration.class,
            CompositeMeterRegistryAutoConfiguration.class));

    @Test
    void recordsMetricsWithTheMeterRegistryOfBoot() {
        withBootsRegistry.run(context -> assertThat(context).hasSingleBean(LockMetrics.class));
    }

    @Test
    void recordsMetricsWithARegistryOfTheApplication() {
        runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> assertThat(context.getBean(LockListener.class)).isInstanceOf(LockMetrics.class));
    }

    @Test
    void countsTheEventsThatListenersMiss() {
        withBootsRegistry
                .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.backend=local")
                .run(context -> assertThat(context.getBean(MeterRegistry.class)
                                .get("distributed.lock.events.dropped")
                                .tag("listener", LockListeners.LockEventPublisher.class.getName())
                                .functionCounter()
                                .count())
                        .isZero());
    }

    @Test
    void distributionPropertiesApplyToLockMeters() {
        withBootsRegistry
                .withPropertyValues(
                        "management.metrics.distribution.slo.distributed.lock.acquire=10ms,1s",
                        "management.metrics.distribution.percentiles.distributed.lock.hold=0.5,0.99")
                .run(context -> {
                    LockMetrics metrics = context.getBean(LockMetrics.class);
                    metrics.onEvent(new Acquired(
                            "order", "order:42", 17, Duration.ofMillis(5), 1, Path.UNCONTENDED, Optional.empty()));
                    metrics.onEvent(
                            new Released("order", "order:42", 17, Duration.ofMillis(50), ReleaseOutcome.RELEASED));

                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(registry.get("distributed.lock.acquire")
                                    .tag("outcome", "acquired")
                                    .timer()
                                    .takeSnapshot()
                                    .histogramCounts())
                            .extracting(CountAtBucket::count)
                            .containsExactly(1.0, 1.0);
                    assertThat(registry.get("distributed.lock.hold")
                                    .timer()
                                    .takeSnapshot()
                                    .percentileValues())
                            .hasSize(2);
                });
    }

    @Test
    void backsOffFromTheApplicationsOwnMetrics() {
        LockMetrics own = new LockMetrics(new SimpleMeterRegistry(), List::of);

        withBootsRegistry
                .withBean("own", LockMetrics.class, () -> own)
                .run(context -> assertThat(context.getBean(LockMetrics.class)).isSameAs(own));
    }

    @Test
    void metricsAreAbsentWithoutASingleRegistry() {
        runner.run(context -> assertThat(context).doesNotHaveBean(LockListener.class));
        runner.withBean("one", MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("two", MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockListener.class));
    }

    @Test
    void metricsAreAbsentWithoutMicrometer() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockListener.class));
    }

    @Test
    void metricsAreAbsentWhenLocksAreDisabled() {
        withBootsRegistry.withPropertyValues("distributed-lock.enabled=false").run(context -> assertThat(context)
                .doesNotHaveBean(LockListener.class));
    }
}
