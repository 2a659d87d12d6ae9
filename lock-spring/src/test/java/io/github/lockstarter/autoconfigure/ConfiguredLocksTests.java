package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ConfiguredLocksTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local")
            .withBean(Shipping.class);

    static class Shipping {
        @DistributedLock(name = "ship-order")
        public void ship() {}
    }

    @Test
    void warnsOnceAboutAnUnusedName(CapturedOutput output) {
        application
                .withPropertyValues(
                        "distributed-lock.locks.ship-ordr.lease=1s", "distributed-lock.locks.ship-order.lease=1s")
                .run(context -> assertThat(output.toString().lines().filter(line -> line.contains("ship-ordr")))
                        .singleElement()
                        .asString()
                        .contains("WARN")
                        .contains("settings for [ship-ordr]")
                        .contains("annotations use [ship-order]"));
    }

    @Test
    void doesNotWarnWhenEveryNameIsUsed(CapturedOutput output) {
        application
                .withPropertyValues("distributed-lock.locks.ship-order.lease=1s")
                .run(context -> assertThat(output).doesNotContain("has settings for"));
    }

    static class Hasty {
        @DistributedLock(name = "hasty", leaseMs = 30)
        public void ship() {}
    }

    @Test
    void warnsAboutALeaseThatLooksLikeAMistypedUnit(CapturedOutput output) {
        application
                .withPropertyValues(
                        "distributed-lock.lease=30",
                        "distributed-lock.max-lease=60s",
                        "distributed-lock.locks.ship-order.lease=999ms")
                .withBean(Hasty.class)
                .run(context -> assertThat(output.toString().lines().filter(line -> line.contains("write 30s")))
                        .hasSize(3)
                        .allMatch(line -> line.contains("WARN"))
                        .anyMatch(line -> line.contains("distributed-lock.lease is 30ms: a holder loses"))
                        .anyMatch(line -> line.contains("distributed-lock.locks.ship-order.lease is 999ms"))
                        .anyMatch(line -> line.contains("lease of lock 'hasty' is 30ms")));
    }

    static class Impatient {
        @DistributedLock(name = "impatient", maxWaitMs = 5)
        public void ship() {}
    }

    @Test
    void warnsAboutAWaitThatLooksLikeAMistypedUnit(CapturedOutput output) {
        application
                .withPropertyValues(
                        "distributed-lock.max-wait=5",
                        "distributed-lock.locks.ship-order.max-wait=49ms",
                        "distributed-lock.locks.ship-order.lease=1s")
                .withBean(Impatient.class)
                .run(context -> assertThat(output.toString().lines().filter(line -> line.contains("write 5s")))
                        .hasSize(3)
                        .allMatch(line -> line.contains("WARN"))
                        .anyMatch(line -> line.contains("distributed-lock.max-wait is 5ms, so a caller gives up"))
                        .anyMatch(line -> line.contains("distributed-lock.locks.ship-order.max-wait is 49ms"))
                        .anyMatch(line -> line.contains("maxWait of lock 'impatient' is 5ms")));
    }

    @ParameterizedTest
    @CsvSource({"redis, 121s, true", "redlock, 2h, true", "redis, 2m, false", "jdbc, 2h, false"})
    void warnsOfTheTimeWithoutGrantsThatALongLeaseCosts(
            String backend, String maxLease, boolean warned, CapturedOutput output) {
        DistributedLockProperties properties = new Binder(new MapConfigurationPropertySource(
                        Map.of("distributed-lock.backend", backend, "distributed-lock.max-lease", maxLease)))
                .bind("distributed-lock", DistributedLockProperties.class)
                .get();
        StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("properties", properties));
        ConfiguredLocks locks = new ConfiguredLocks(
                beans.getBeanProvider(DistributedLockProperties.class),
                beans.getBeanProvider(LockBackendOptions.class),
                beans.getBeanProvider(LockNames.class));

        locks.afterSingletonsInstantiated();

        assertThat(output.toString().contains("no free lock is granted for that time"))
                .isEqualTo(warned);
    }

    @Test
    void doesNotWarnAboutALeaseOfOneSecond(CapturedOutput output) {
        application.withPropertyValues("distributed-lock.lease=1s").run(context -> assertThat(output)
                .doesNotContain("write 30s"));
    }

    @Test
    void logsTheConfiguredLocksInOneLineAtStartup(CapturedOutput output) {
        application.run(context -> assertThat(output)
                .containsOnlyOnce("Distributed locks are kept in this JVM: key prefix lock:, lease 30s,"
                        + " max-lease 30s, max-wait 5s, renewal on (max-hold none), ")
                .contains("locks exclude the threads of this JVM and no other instance"));
    }

    @Test
    void namesTheHostOfTheInstanceInLockTokens(CapturedOutput output) {
        application
                .withPropertyValues("HOSTNAME=orders-7d9f8b6c5-x2x4z", "spring.application.name=orders")
                .run(context -> assertThat(output)
                        .containsPattern("this instance is [0-9a-f]{8} .orders-7d9f8b6c5-x2x4z/orders."));
        application
                .withPropertyValues("HOSTNAME=hidden", "distributed-lock.show-owner=false")
                .run(context -> assertThat(output).doesNotContain("hidden"));
    }

    @Test
    void createsNoBeanTooEarlyToBeProxied(CapturedOutput output) {
        application.run(context -> assertThat(output).doesNotContain("is not eligible"));
    }
}
