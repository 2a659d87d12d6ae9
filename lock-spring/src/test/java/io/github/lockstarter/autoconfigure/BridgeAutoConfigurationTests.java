package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.integration.DistributedLockRegistry;
import io.github.lockstarter.shedlock.DistributedLockProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/** Locks of other libraries, where an application has them. */
class BridgeAutoConfigurationTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DistributedLockAutoConfiguration.class, LockIntegrationAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void createsBothBridgesOnTheLocksOfTheApplication() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            assertThat(context)
                    .hasSingleBean(DistributedLockProvider.class)
                    .hasSingleBean(DistributedLockRegistry.class);
            try (var held = locks.acquire("integration:orders");
                    var other = locks.acquireAsync("shedlock:report").join()) {
                assertThat(held.isHeld() && other.isHeld()).isTrue();
                assertThat(context.getBean(LockProvider.class)
                                .lock(new LockConfiguration(
                                        Instant.now(), "report", Duration.ofMinutes(1), Duration.ZERO)))
                        .isEmpty();
                Lock ofThisThread = context.getBean(LockRegistry.class).obtain("orders");
                assertThat(ofThisThread.tryLock()).isTrue();
                ofThisThread.unlock();
            }
        });
    }

    @Test
    void usesTheSettingsOfTheNameForShedLock() {
        application
                .withPropertyValues("distributed-lock.locks.shedlock.lease=25s")
                .run(context -> {
                    SimpleLock lock = context.getBean(LockProvider.class)
                            .lock(new LockConfiguration(Instant.now(), "report", Duration.ofMinutes(1), Duration.ZERO))
                            .orElseThrow();
                    assertThat(context.getBean(LockOperations.class).heldLocks().snapshot())
                            .singleElement()
                            .satisfies(held ->
                                    assertThat(held.remainingLease()).isBetween(Duration.ZERO, Duration.ofSeconds(25)));
                    lock.unlock();
                });
    }

    @Test
    void backsOffFromBridgesOfTheApplication() {
        LockProvider provider = configuration -> Optional.empty();
        LockRegistry<?> registry = key -> new ReentrantLock();
        application
                .withBean("ownProvider", LockProvider.class, () -> provider)
                .withBean("ownRegistry", LockRegistry.class, () -> registry)
                .run(context -> {
                    assertThat(context.getBean(LockProvider.class)).isSameAs(provider);
                    assertThat(context.getBean(LockRegistry.class)).isSameAs(registry);
                });
    }

    @Test
    void createsNoBridgeWithoutTheLibrary() {
        application
                .withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock", "org.springframework.integration"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("distributedLockProvider")
                        .doesNotHaveBean("distributedLockRegistry"));
    }

    /** It has a registry of other type arguments. */
    @Test
    void createsNoRegistryForSpringIntegration6() {
        application
                .withClassLoader(new FilteredClassLoader(DistributedLock.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("distributedLockRegistry"));
    }

    @Test
    void createsNoBridgeWhenLocksAreDisabled() {
        application.withPropertyValues("distributed-lock.enabled=false").run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(LockProvider.class)
                .doesNotHaveBean(LockRegistry.class));
    }
}
