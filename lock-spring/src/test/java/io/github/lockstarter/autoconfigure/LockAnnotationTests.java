package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

class LockAnnotationTests {

    private final ApplicationContextRunner application =
            LockRunner.application().withPropertyValues("distributed-lock.max-wait=0");

    /** The keys that are held while the body runs. */
    private static List<String> heldKeys() {
        return LockHandle.current().map(LockHandle::keys).orElse(List.of());
    }

    /** Public, since its proxy may come from another class loader. */
    public static class OrderService {
        @DistributedLock(key = "#orderId", leaseMs = 30000)
        public List<String> ship(long orderId) {
            return heldKeys();
        }
    }

    @Test
    void holdsTheLockWhileTheMethodRuns() {
        application.withBean(OrderService.class).run(context -> {
            assertThat(context.getBean(OrderService.class).ship(42)).containsExactly("OrderService.ship:42");
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    /** Public, since its proxy may come from another class loader. */
    public static class Report {
        @DistributedLock(name = "report", minHoldMs = 20_000)
        public List<String> run() {
            return heldKeys();
        }

        @DistributedLock(name = "index")
        public List<String> index() {
            return heldKeys();
        }
    }

    @Test
    void keepsTheLockOfAMethodThatReturnsSoonerThanItsMinimumHold() {
        application
                .withPropertyValues("distributed-lock.locks.index.min-hold=20s")
                .withBean(Report.class)
                .run(context -> {
                    Report report = context.getBean(Report.class);
                    assertThat(report.run()).containsExactly("report");
                    assertThatThrownBy(report::run)
                            .isInstanceOf(LockNotAcquiredException.class)
                            .hasMessageContaining("kept for its minimum hold");
                    assertThat(report.index()).containsExactly("index");
                    assertThatThrownBy(report::index).isInstanceOf(LockNotAcquiredException.class);
                });
    }

    @Test
    void providesTheTemplateUnderBothTypes() {
        application.run(context ->
                assertThat(context.getBean(LockOperations.class)).isSameAs(context.getBean(LockTemplate.class)));
    }

    interface Shipping {
        @DistributedLock(name = "ship", key = "#orderId")
        List<String> ship(long orderId);
    }

    static class ShippingService implements Shipping {
        @Override
        public List<String> ship(long id) {
            return heldKeys();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.aop.auto=true",
                "spring.aop.auto=false",
                "spring.aop.proxy-target-class=true",
                "spring.aop.proxy-target-class=false",
                "spring.aop.auto=false spring.aop.proxy-target-class=false"
            })
    void locksBehindEveryKindOfProxy(String setting) {
        application
                .withPropertyValues(setting.split(" "))
                .withBean("shipping", Shipping.class, ShippingService::new)
                .run(context -> {
                    Shipping shipping = context.getBean(Shipping.class);
                    assertThat(AopUtils.isJdkDynamicProxy(shipping)).isEqualTo(setting.endsWith("class=false"));
                    assertThat(shipping.ship(1)).containsExactly("ship:1");
                });
    }

    @Test
    void locksWithoutAspectJ() {
        application
                .withClassLoader(new FilteredClassLoader("org.aspectj"))
                .withBean(OrderService.class)
                .run(context -> assertThat(context.getBean(OrderService.class).ship(42))
                        .containsExactly("OrderService.ship:42"));
    }

    @Test
    void locksEachInstanceOfAPrototype() {
        application
                .withBean(OrderService.class, OrderService::new, definition -> definition.setScope("prototype"))
                .run(context -> {
                    assertThat(context.getBean(OrderService.class).ship(1)).containsExactly("OrderService.ship:1");
                    assertThat(context.getBean(OrderService.class).ship(2)).containsExactly("OrderService.ship:2");
                });
    }

    static class Tenant {
        @DistributedLock(name = "${shop.tenant}.order", key = "#id")
        public List<String> ship(long id) {
            return heldKeys();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void resolvesPlaceholdersOfTheName(boolean withBootsConfigurer) {
        ApplicationContextRunner runner = withBootsConfigurer
                ? application.withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
                : application;
        runner.withPropertyValues("shop.tenant=acme").withBean(Tenant.class).run(context -> assertThat(
                        context.getBean(Tenant.class).ship(1))
                .containsExactly("acme.order:1"));
        FailureReport.assertThat(runner.withBean("subject", Tenant.class))
                .startsWith("Bean 'subject': @DistributedLock on LockAnnotationTests.Tenant.ship(long)")
                .contains("name = \"${shop.tenant}.order\" cannot be resolved: ")
                .contains("Set the property, or give a default behind a colon");
    }

    static class Failing {
        @DistributedLock
        public void fail(Throwable failure) throws Throwable {
            throw failure;
        }
    }

    @Test
    void rethrowsEveryExceptionOfTheBody() {
        application.withBean(Failing.class).run(context -> {
            for (Throwable failure : List.of(
                    new IOException("checked"),
                    new IllegalStateException("unchecked"),
                    new AssertionError("error"),
                    new LockNotAcquiredException("elsewhere", "a nested lock"),
                    new LockLostException("elsewhere", "a nested lock"))) {
                assertThatThrownBy(() -> context.getBean(Failing.class).fail(failure))
                        .isSameAs(failure)
                        .hasNoCause()
                        .hasNoSuppressedExceptions();
            }
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    static final class Order {
        private String id = "1";
        private int reads;

        public String getId() {
            reads++;
            return id;
        }
    }

    static class Mutating {
        @DistributedLock(key = "#order.id")
        public List<String> ship(Order order) {
            order.id = "2";
            return heldKeys();
        }
    }

    @Test
    void evaluatesTheKeyOnceBeforeTheBody() {
        application.withBean(Mutating.class).run(context -> {
            Order order = new Order();
            assertThat(context.getBean(Mutating.class).ship(order)).containsExactly("Mutating.ship:1");
            assertThat(order.reads).isOne();
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    static class NullKey {
        private boolean hasRun;

        @DistributedLock(key = "'order:' + #id")
        public void ship(Optional<Long> ignored, Long id) {
            hasRun = true;
        }

        public boolean hasRun() {
            return hasRun;
        }
    }

    @Test
    void doesNotRunTheBodyWithoutAKey() {
        application.withBean(NullKey.class).run(context -> {
            NullKey bean = context.getBean(NullKey.class);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> bean.ship(Optional.empty(), null))
                    .withMessageContaining("'order:' + #id")
                    .withMessageContaining("NullKey.ship(Optional, Long)")
                    .withMessageContaining("is null");
            assertThat(bean.hasRun()).isFalse();
        });
    }

    static class Untyped {
        @DistributedLock
        public Object run(Object result) {
            return result;
        }

        @DistributedLock
        public <T> T generic(T result) {
            return result;
        }
    }

    @Test
    void refusesAResultWhoseWorkContinuesAfterTheMethod() {
        application.withBean(Untyped.class).run(context -> {
            Untyped bean = context.getBean(Untyped.class);
            for (Object later :
                    List.of(new CompletableFuture<>(), Mono.just(1), Stream.of(1), (Callable<Integer>) () -> 1)) {
                assertThatIllegalStateException()
                        .isThrownBy(() -> bean.run(later))
                        .withMessageContaining("Untyped.run(Object) returned a "
                                + later.getClass().getTypeName())
                        .withMessageContaining("although lock 'Untyped.run' is already released")
                        .withMessageContaining("acquireAsync");
            }
            assertThatIllegalStateException().isThrownBy(() -> bean.generic(new CompletableFuture<>()));
            assertThat(LockRunner.held(context).size()).isZero();
            assertThat(bean.run("done")).isEqualTo("done");
            assertThat(bean.run(List.of())).isEqualTo(List.of());
            assertThat(bean.generic(1)).isEqualTo(1);
        });
    }

    static class Named {
        @DistributedLock(name = "nightly")
        public Duration remainingLease() {
            return LockHandle.current().orElseThrow().remainingLease();
        }
    }

    @Test
    void usesTheSettingsOfTheName() {
        application
                .withPropertyValues("distributed-lock.locks.nightly.lease=25s")
                .withBean(Named.class)
                .run(context -> assertThat(context.getBean(Named.class).remainingLease())
                        .isBetween(Duration.ZERO, Duration.ofSeconds(25)));
    }

    @Test
    void usesTheLockOperationsOfTheApplication() {
        LockHandle handle = mock();
        when(handle.keys()).thenReturn(List.of("of the application"));
        LockSource source = mock();
        when(source.acquire(any())).thenReturn(handle);
        application
                .withBean(LockOperations.class, () -> new LockTemplate(source))
                .withBean(OrderService.class)
                .run(context -> {
                    assertThat(context).hasSingleBean(LockOperations.class);
                    assertThat(context.getBean(OrderService.class).ship(1)).containsExactly("of the application");
                });
    }
}
