package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.observe.LockMetrics;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LeaderMetricsTests {

    private static final String NAME = "leader.billing";
    private static final String KEY = "leader:billing";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LeaderMetrics leaders = new LeaderMetrics(registry);

    private void grant(String name, String key) {
        leaders.onEvent(new LockEvent.Acquired(name, key, 17, Duration.ZERO, 1, Path.UNCONTENDED, Optional.empty()));
    }

    private void release(ReleaseOutcome outcome) {
        leaders.onEvent(new LockEvent.Released(NAME, KEY, 17, Duration.ZERO, outcome));
    }

    private double led() {
        return registry.get("distributed.lock.leader")
                .tag("role", "billing")
                .gauge()
                .value();
    }

    private double changes() {
        return registry.get("distributed.lock.leader.changes")
                .tag("role", "billing")
                .counter()
                .count();
    }

    @Test
    void showsWhetherThisInstanceLeadsARole() {
        leaders.onEvent(new LockEvent.Contended(NAME, KEY));
        assertThat(led()).isZero();
        assertThat(changes()).isZero();

        grant(NAME, KEY);
        leaders.onEvent(new LockEvent.InDoubt(NAME, KEY, 17, Duration.ZERO));
        assertThat(led()).isEqualTo(1);
        release(ReleaseOutcome.RELEASED);
        assertThat(led()).isZero();
        assertThat(changes()).isEqualTo(2);
    }

    @Test
    void countsALossOnce() {
        grant(NAME, KEY);
        leaders.onEvent(new LockEvent.Lost(NAME, KEY, 17, Duration.ZERO, LossCause.LEASE_EXPIRED, 3));
        release(ReleaseOutcome.LOST);

        assertThat(led()).isZero();
        assertThat(changes()).isEqualTo(2);
    }

    @Test
    void ignoresOtherLocks() {
        grant("ship-order", "order:42");

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void limitsTheNumberOfRoles() {
        for (int i = 0; i < 2 * LockMetrics.MAX_NAMES; i++) {
            grant("leader.role-" + i, "leader:role-" + i);
            grant("leader.role-0", KEY);
        }

        assertThat(registry.find("distributed.lock.leader").gauges()).hasSize(LockMetrics.MAX_NAMES + 1);
        assertThat(registry.get("distributed.lock.leader")
                        .tag("role", LockMetrics.OTHER)
                        .gauge()
                        .value())
                .isEqualTo(LockMetrics.MAX_NAMES);
    }

    @Test
    void appearOnlyWithTheMetersOfLocks() {
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(DistributedLockAutoConfiguration.class, LeaderAutoConfiguration.class))
                .withPropertyValues("distributed-lock.backend=local")
                .withBean(MeterRegistry.class, () -> registry);

        application.run(context -> assertThat(context).doesNotHaveBean(LeaderMetrics.class));
        application
                .withConfiguration(AutoConfigurations.of(LockObservabilityAutoConfiguration.class))
                .run(context -> assertThat(context).hasSingleBean(LeaderMetrics.class));
    }
}
