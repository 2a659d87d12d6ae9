package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockTerms;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.engine.settings.EngineSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;

class DistributedLockPropertiesTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void haveTheDefaultsOfTheEngineWhenNothingIsConfigured() {
        application.run(context -> {
            DistributedLockProperties properties = context.getBean(DistributedLockProperties.class);
            assertThat(properties.engineSettings()).isEqualTo(EngineSettings.DEFAULTS);
            assertThat(properties.enabled()).isTrue();
            assertThat(properties.keyPrefix()).isEqualTo("lock:");
            assertThat(properties.onLost()).isEqualTo(OnLost.THROW);
            assertThat(properties.order()).isEqualTo(Ordered.LOWEST_PRECEDENCE - 1000);
        });
    }

    @Test
    void doNotStoreThreadNamesWhenConfigured() {
        application.withPropertyValues("distributed-lock.show-owner=false").run(context -> assertThat(
                        context.getBean(DistributedLockProperties.class).engineSettings())
                .isEqualTo(EngineSettings.DEFAULTS.withoutOwner()));
    }

    @Test
    void bindEveryValue() {
        application
                .withPropertyValues(
                        "distributed-lock.key-prefix=shop:",
                        "distributed-lock.lease=10s",
                        "distributed-lock.max-lease=2m",
                        "distributed-lock.max-wait=0",
                        "distributed-lock.on-lost=return",
                        "distributed-lock.order=7",
                        "distributed-lock.retry.max-delay=3s",
                        "distributed-lock.handover.max=8",
                        "distributed-lock.renewal=off",
                        "distributed-lock.max-hold=1h",
                        "distributed-lock.locks.ship-order.lease=1m",
                        "distributed-lock.locks.ship-order.max-wait=1s",
                        "distributed-lock.locks.ship-order.min-hold=800ms",
                        "distributed-lock.locks.ship-order.min-hold-if=success",
                        "distributed-lock.locks.ship-order.renewal=on",
                        "distributed-lock.locks.ship-order.max-hold=5m",
                        "distributed-lock.locks.ship-order.crash-takeover=0",
                        "distributed-lock.locks.ship-order.permits=3",
                        "distributed-lock.locks.ship-order.release=send",
                        "distributed-lock.locks.ship-order.on-lost=interrupt")
                .run(context -> {
                    DistributedLockProperties properties = context.getBean(DistributedLockProperties.class);
                    assertThat(properties.keyPrefix()).isEqualTo("shop:");
                    assertThat(properties.onLost()).isEqualTo(OnLost.RETURN);
                    assertThat(properties.order()).isEqualTo(7);
                    EngineSettings settings = properties.engineSettings();
                    assertThat(settings.terms())
                            .isEqualTo(EngineSettings.DEFAULTS
                                    .terms()
                                    .lease(Duration.ofSeconds(10))
                                    .maxWait(Duration.ZERO)
                                    .renewal(Renewal.OFF)
                                    .maxHold(Duration.ofHours(1))
                                    .onLost(OnLost.RETURN));
                    assertThat(settings.maxLease()).isEqualTo(Duration.ofMinutes(2));
                    assertThat(settings.maxRetryDelay()).isEqualTo(Duration.ofSeconds(3));
                    assertThat(settings.handover()).isEqualTo(EngineSettings.Handover.upTo(8));
                    assertThat(settings.locks())
                            .containsOnlyKeys("ship-order")
                            .containsValue(LockTerms.NONE
                                    .lease(Duration.ofMinutes(1))
                                    .maxWait(Duration.ofSeconds(1))
                                    .minHold(Duration.ofMillis(800))
                                    .minHoldIf(MinHoldIf.SUCCESS)
                                    .renewal(Renewal.ON)
                                    .maxHold(Duration.ofMinutes(5))
                                    .crashTakeover(Duration.ZERO)
                                    .permits(3)
                                    .release(LockTerms.Release.SEND)
                                    .onLost(OnLost.INTERRUPT));
                });
    }

    @ParameterizedTest
    @CsvSource({"OrderService.ship", "Order_Service", "ship-order"})
    void keepBracketedNamesAsTheyAreWritten(String name) {
        application
                .withPropertyValues("distributed-lock.locks.[" + name + "].lease=1s")
                .run(context -> assertThat(context.getBean(DistributedLockProperties.class)
                                .engineSettings()
                                .locks())
                        .containsOnlyKeys(name));
    }

    @Test
    void nameThePropertyInAStartupFailure() {
        FailureReport.assertThat(application.withPropertyValues("distributed-lock.lease=0"))
                .isEqualTo("distributed-lock.lease is 0ms; it must be between 20ms and 365d.\n\n"
                        + "Correct distributed-lock.lease, or leave it out for its default. A duration without a "
                        + "unit is in milliseconds.");
    }

    @Test
    void putTheRemedyIntoTheActionOfTheFailure() {
        FailureReport.assertThat(application.withPropertyValues("distributed-lock.max-lease=60"))
                .isEqualTo("distributed-lock.lease is 30s, above distributed-lock.max-lease (60ms).\n\n"
                        + "Lower the lease, which is renewed while the work runs (unless that is switched off), or set "
                        + "distributed-lock.max-lease=30s in all applications that share locks: for that time no free "
                        + "lock is granted after each restart or failover of Redis."
                        + " A duration without a unit is in milliseconds.");
    }

    @Test
    void explainTheUnitOnlyForDurations() {
        FailureReport.assertThat(application.withPropertyValues("distributed-lock.handover.max=65"))
                .isEqualTo("distributed-lock.handover.max is 65; it must be between 0 and 64.\n\n"
                        + "Correct distributed-lock.handover.max, or leave it out for its default.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            distributed-lock.lease=0                      | distributed-lock.lease is 0ms
            distributed-lock.lease=-1s                    | distributed-lock.lease is -1s
            distributed-lock.max-lease=10s                | distributed-lock.lease is 30s, above distributed-lock.max-lease (10s)
            distributed-lock.max-wait=-1ms                | distributed-lock.max-wait is -1ms
            distributed-lock.lease=400d                   | distributed-lock.lease is 400d; it must be between 20ms and 365d
            distributed-lock.retry.max-delay=9ms          | distributed-lock.retry.max-delay is 9ms; it must be between 10ms and 365d
            distributed-lock.handover.max=-1             | distributed-lock.handover.max is -1
            distributed-lock.max-hold=0                   | distributed-lock.max-hold is 0ms
            distributed-lock.locks.ship.lease=31s         | distributed-lock.locks.ship.lease is 31s, above distributed-lock.max-lease (30s)
            distributed-lock.locks.ship.max-wait=-1s      | distributed-lock.locks.ship.max-wait is -1s
            distributed-lock.locks.ship.min-hold=31s      | distributed-lock.locks.ship.min-hold is 31s, above the lease of the lock (30s)
            distributed-lock.max-hold=29s                 | distributed-lock.max-hold is 29s, below the lease of the lock (30s)
            distributed-lock.locks.ship.min-hold=-1s      | distributed-lock.locks.ship.min-hold is -1s; it must be between 1ms and 365d
            distributed-lock.locks.ship.max-hold=29s      | distributed-lock.locks.ship.max-hold is 29s, below the lease of the lock (30s)
            distributed-lock.locks.ship.permits=0         | distributed-lock.locks.ship.permits is 0; it must be between 1 and 1024
            distributed-lock.lease=soon                   | 'soon' is not a valid duration
            distributed-lock.backend=zookeeper            | distributed-lock.backend is 'zookeeper', and the application has no such store; it has [local]
            """)
    void failTheStartWithTheProblem(String setting, String message) {
        FailureReport.assertThat(application.withPropertyValues(setting))
                .contains("distributed-lock")
                .contains(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"distributed-lock.renewal=off", "distributed-lock.locks.ship.renewal=off"})
    void failTheStartForAMaximumHoldOfALockThatIsNotRenewed(String renewal) {
        FailureReport.assertThat(application.withPropertyValues(renewal, "distributed-lock.locks.ship.max-hold=10m"))
                .isEqualTo("distributed-lock.locks.ship.max-hold is 600s, which has no effect: the lock is not "
                        + "renewed, and ends with its lease.\n\n"
                        + "Leave out the maximum hold, or switch renewal on. A duration without a unit is in "
                        + "milliseconds.");
    }
}
