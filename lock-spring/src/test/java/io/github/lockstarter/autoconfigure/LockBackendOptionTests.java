package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.actuate.LockActuatorAutoConfiguration;
import io.github.lockstarter.actuate.LocksEndpoint;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.scheduling.ScheduledLock;
import io.github.lockstarter.spi.LockBackend;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;

/** Stores of other modules, and backends that the application declares itself. */
@ExtendWith(OutputCaptureExtension.class)
class LockBackendOptionTests {

    private final ApplicationContextRunner locks = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

    private final ApplicationContextRunner withAcme =
            locks.withConfiguration(AutoConfigurations.of(AcmeLockAutoConfiguration.class));

    static class Shipping {
        @DistributedLock(name = "order", leaseMs = 999)
        public boolean isLocked() {
            return LockHandle.current().isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"acme", "ACME", " acme "})
    void keepsLocksInTheStoreOfAnotherModule(String backend) {
        withAcme.withPropertyValues("distributed-lock.backend=" + backend).run(context -> {
            assertThat(context)
                    .hasSingleBean(LockBackend.class)
                    .getBean("distributedLockAcmeBackend")
                    .isInstanceOf(LocalLockBackend.class);
            context.getBean(LockOperations.class).acquire("order:42").release();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"distributed-lock.redlock.nodes=a:1,b:2,c:3", "distributed-lock.redlock.nodes[0]=a:1"})
    void failsForNodesOfAQuorumWithoutItsModule(String nodes) {
        withAcme.withPropertyValues("distributed-lock.backend=acme", nodes).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("distributed-lock.redlock.nodes is set, and no lock is kept there")
                .hasMessageContaining("io.github.lockstarter:lock-starter-redlock"));
        withAcme.withPropertyValues("distributed-lock.backend=local", nodes)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void doesNotCreateAStoreThatIsNotChosen() {
        withAcme.withPropertyValues("distributed-lock.backend=local")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("distributedLockAcmeBackend"));
    }

    @Test
    void keepsLocksInAnAdditionalStore() {
        withAcme.withConfiguration(AutoConfigurations.of(OtherLockAutoConfiguration.class))
                .withBean(Ledger.class)
                .withPropertyValues("distributed-lock.backend=other", "distributed-lock.further-backends=ACME")
                .run(context -> {
                    LockOperations operations = context.getBean(LockOperations.class);
                    LockOperations further = context.getBean("acmeLocks", LockOperations.class);
                    LockBackend acme = context.getBean("distributedLockAcmeBackend", LockBackend.class);
                    LockBackend other = context.getBean("distributedLockOtherBackend", LockBackend.class);
                    assertThat(context.getBean(LockAdmin.class).heldLocks()).isSameAs(operations.heldLocks());

                    further.execute("order:42", () -> {
                        assertThat(isHeld(acme, "order:42")).isTrue();
                        assertThat(isHeld(other, "order:42")).isFalse();
                        operations.execute("order:42", () -> assertThat(isHeld(other, "order:42"))
                                .isTrue());
                    });
                    assertThat(context.getBean(Ledger.class).keysHeldIn(acme, "entry"))
                            .isTrue();
                    assertThat(context.getBean(Ledger.class).keysHeldIn(acme, "run"))
                            .isFalse();
                    assertThat(context.getBean(Ledger.class).close(acme)).isTrue();
                });
    }

    static class Ledger {

        @DistributedLock(name = "entry", locks = "${ledger.locks:acmeLocks}")
        public boolean keysHeldIn(LockBackend backend, String key) {
            return isHeld(backend, key);
        }

        @ScheduledLock(name = "close", minHoldMs = 1, locks = "acmeLocks")
        public @Nullable Boolean close(LockBackend backend) {
            return isHeld(backend, "close");
        }
    }

    @Test
    void drainsAndClosesAnAdditionalStoreWithTheContext() {
        AtomicReference<LockBackend> acme = new AtomicReference<>();
        AtomicReference<LockOperations> further = new AtomicReference<>();
        withAcme.withConfiguration(AutoConfigurations.of(OtherLockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.backend=other", "distributed-lock.further-backends=acme")
                .run(context -> {
                    acme.set(context.getBean("distributedLockAcmeBackend", LockBackend.class));
                    further.set(context.getBean("acmeLocks", LockOperations.class));
                    LockEngineLifecycle lifecycle = context.getBean(LockEngineLifecycle.class);
                    CompletableFuture<Void> drained = new CompletableFuture<>();
                    LockHandle held = further.get().acquireAsync("order:42").join();
                    lifecycle.stop(() -> drained.complete(null));
                    assertThat(drained).isNotDone();
                    held.release();
                    assertThat(drained).succeedsWithin(Patience.TIME);
                    lifecycle.start();
                    further.get().acquire("order:43").release();
                });
        assertThatThrownBy(() -> further.get().acquire("order:42")).isInstanceOf(LockBackendException.class);
        assertThat(acme.get().state().toCompletableFuture().join().failure()).isPresent();
    }

    @Test
    void showsTheLocksOfAnAdditionalStoreToOperators() {
        withAcme.withConfiguration(
                        AutoConfigurations.of(OtherLockAutoConfiguration.class, LockActuatorAutoConfiguration.class))
                .withPropertyValues(
                        "distributed-lock.backend=other",
                        "distributed-lock.further-backends=acme",
                        "management.endpoints.web.exposure.include=locks")
                .run(context -> {
                    LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
                    context.getBean("acmeLocks", LockOperations.class).execute("order:42", () -> {
                        assertThat(endpoint.locks(SecurityContext.NONE, null, null, null, null)
                                        .held())
                                .isEmpty();
                        assertThat(endpoint.locks(SecurityContext.NONE, null, null, "acmeLocks", null)
                                        .held())
                                .hasSize(1);
                    });
                    assertThat(context.getBean(HealthIndicator.class).health().getDetails())
                            .containsKey("acmeLocks");
                });
    }

    @Test
    void keepsAllLocksInThisJvmForTests() {
        withAcme.withBean(Ledger.class)
                .withPropertyValues("distributed-lock.backend=local", "distributed-lock.further-backends=acme,gone")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBean("acmeLocks")
                        .isSameAs(context.getBean(LockOperations.class)));
    }

    @Test
    void listsTheKnownBeansForAnAnnotationWithAnUnknownOne() {
        FailureReport.assertThat(withAcme.withBean(Ledger.class).withPropertyValues("distributed-lock.backend=acme"))
                .contains(
                        "locks is \"acmeLocks\", and no LockOperations bean has this name; there are"
                                + " [distributedLockTemplate].",
                        "distributed-lock.further-backends=zookeeper gives the bean zookeeperLocks");
    }

    @Test
    void validatesAnAnnotationByTheRulesOfAnAdditionalStore() {
        FailureReport.assertThat(withAcme.withConfiguration(AutoConfigurations.of(OtherLockAutoConfiguration.class))
                        .withBean(Ledger.class)
                        .withPropertyValues(
                                "distributed-lock.backend=other",
                                "distributed-lock.further-backends=acme",
                                "distributed-lock.locks.entry.lease=999ms"))
                .contains("the lease of lock 'entry' cannot be kept in acme");
    }

    @AutoConfiguration(after = DistributedLockAutoConfiguration.class)
    static class OtherLockAutoConfiguration {

        @Bean
        LockBackendOption distributedLockOtherOption() {
            return () -> "other";
        }

        @Bean
        @ConditionalOnLockBackend("other")
        @ConditionalOnMissingLockBackend
        LocalLockBackend distributedLockOtherBackend() {
            return new LocalLockBackend();
        }
    }

    private static boolean isHeld(LockBackend backend, String key) {
        return backend.inspect(key, 0).toCompletableFuture().join() instanceof StoredLock.Held;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            distributed-lock.backend=AK-ME                | distributed-lock.backend is 'AK-ME', and the application has no such store; it has [acme, local]
            distributed-lock.further-backends=akme        | distributed-lock.further-backends names 'akme', and the application has no such store; it has [acme, local]
            distributed-lock.further-backends=local       | distributed-lock.further-backends names 'local'
            acme-lock.command-timeout=31s                 | acme-lock.command-timeout is above the lease
            acme-lock.command-timeout=soon                | 'soon' is not a valid duration
            """)
    void startFailsWithTheProblem(String setting, String message) {
        FailureReport.assertThat(withAcme.withPropertyValues("distributed-lock.backend=acme", setting))
                .contains(message);
    }

    @Test
    void bindsThePropertiesOfAnotherModule() {
        withAcme.withPropertyValues(
                        "distributed-lock.backend=acme",
                        "acme-lock.commandTimeout=2s",
                        "acme-lock.servers[0]=a",
                        "acme-lock.servers[1]=b")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBean(AcmeLockAutoConfiguration.AcmeLockProperties.class)
                        .asString()
                        .contains("PT2S", "[a, b]"));
    }

    @Test
    void validatesAnAnnotationByTheRulesOfItsStore() {
        FailureReport.assertThat(withAcme.withBean(Shipping.class).withPropertyValues("distributed-lock.backend=acme"))
                .contains("the lease of lock 'order' cannot be kept in acme");
        withAcme.withBean(Shipping.class)
                .withPropertyValues("distributed-lock.backend=local")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "acme"})
    void prefersTheBackendOfTheApplicationToTheConfiguredOne(String backend) {
        LockBackend own = new LocalLockBackend();
        withAcme.withBean("own", LockBackend.class, () -> own)
                .withPropertyValues("distributed-lock.backend=" + backend)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBean(LockBackend.class)
                        .isSameAs(own));
    }

    @Test
    void createsNoStoreInAdditionToTheBackendOfTheApplication() {
        FailureReport.assertThat(withAcme.withBean("own", LockBackend.class, LocalLockBackend::new)
                        .withPropertyValues("distributed-lock.further-backends=acme"))
                .contains("distributed-lock.further-backends is [acme], and the application declares a LockBackend")
                .contains("Remove the property, or the bean");
    }

    /** Including the name of a store's bean. */
    @ParameterizedTest
    @ValueSource(strings = {"distributedLockAcmeBackend", "distributedLockOrdersBackend"})
    void usesTheBackendOfTheApplicationUnderAnyBeanName(String name) {
        LockBackend own = new LocalLockBackend();
        withAcme.withBean(name, LockBackend.class, () -> own)
                .withPropertyValues("distributed-lock.backend=acme")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBean(LockBackend.class)
                        .isSameAs(own));
    }

    @ParameterizedTest
    @ValueSource(strings = {"acme", "local"})
    void refusesAnOptionWhoseNameIsTaken(String name) {
        withAcme.withBean(LockBackendOption.class, () -> () -> name)
                .withPropertyValues("distributed-lock.backend=acme")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("Duplicate key " + name));
    }

    @Test
    void usesTheBackendOfTheApplicationWithoutAStoreModule() {
        locks.withBean(LockBackend.class, LocalLockBackend::new)
                .withBean(Shipping.class)
                .run(context ->
                        assertThat(context.getBean(Shipping.class).isLocked()).isTrue());
    }

    @Test
    void ignoresABackendThatIsNoAutowireCandidate() {
        withAcme.withBean("part", LockBackend.class, LocalLockBackend::new, bean -> bean.setAutowireCandidate(false))
                .withPropertyValues("distributed-lock.backend=acme")
                .run(context -> assertThat(context).hasNotFailed().hasBean("distributedLockAcmeBackend"));
    }

    @Test
    void startFailsWithoutAStore() {
        FailureReport.assertThat(locks)
                .contains("distributed-lock.backend is unset (default 'redis'), and the application has no such store")
                .contains("Add io.github.lockstarter:lock-starter");
        FailureReport.assertThat(withAcme)
                .contains(
                        "distributed-lock.backend is unset (default 'redis'), and the application has no such store; it"
                                + " has [acme, local]");
    }

    @ParameterizedTest
    @CsvSource({
        "redis, lock-starter",
        "redlock, lock-starter-redlock",
        "jdbc, lock-starter-jdbc",
        "zookeeper, lock-starter-zookeeper",
        "etcd, lock-starter-etcd"
    })
    void namesTheDependencyOfAMissingStore(String store, String artifact) {
        FailureReport.assertThat(locks.withPropertyValues("distributed-lock.backend=" + store))
                .contains(
                        "The store '" + store + "' needs the dependency io.github.lockstarter:" + artifact
                                + ", which is not on the class path",
                        "Add io.github.lockstarter:" + artifact + " in the version of lock-starter, or set"
                                + " distributed-lock.backend to one of [local]");
    }

    @Test
    void logsTheStoreForTestsOnlyWhenItIsUsed(CapturedOutput output) {
        withAcme.withPropertyValues("distributed-lock.backend=acme", "distributed-lock.further-backends=local")
                .run(context -> assertThat(context).hasFailed());
        assertThat(output).doesNotContain("distributed-lock.backend is 'local'");
    }
}
