package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Calls of annotated methods whose lock another owner has. */
@SuppressWarnings("unused")
class ContentionTests {

    private final ApplicationContextRunner application = LockRunner.application(
                    LockObservabilityAutoConfiguration.class)
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withPropertyValues("distributed-lock.max-wait=0");

    private static void whileHeld(ApplicationContext context, String key, Runnable test) {
        LockHandle other =
                context.getBean(LockOperations.class).acquireAsync(key).join();
        try {
            test.run();
        } finally {
            other.release();
        }
    }

    private static double calls(ApplicationContext context, String name, String how) {
        return context.getBean(MeterRegistry.class)
                .get("distributed.lock.skipped")
                .tags("name", name, "how", how)
                .counter()
                .count();
    }

    // Skip

    static class Jobs {

        private int runs;

        @DistributedLock(name = "job", ifContended = IfContended.SKIP)
        public void run() {
            runs++;
        }

        @DistributedLock(name = "job", ifContended = IfContended.SKIP)
        public Optional<String> report() {
            return Optional.of("written");
        }

        @DistributedLock(name = "job", ifContended = IfContended.SKIP)
        public OptionalInt count() {
            return OptionalInt.of(1);
        }

        @DistributedLock(name = "job", ifContended = IfContended.SKIP)
        public OptionalLong size() {
            return OptionalLong.of(1);
        }

        @DistributedLock(name = "job", ifContended = IfContended.SKIP)
        public @Nullable String text() {
            return "written";
        }
    }

    @Test
    void skipsWithAnEmptyResult() {
        application.withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            whileHeld(context, "job", () -> {
                jobs.run();
                assertThat(jobs.report()).isEmpty();
                assertThat(jobs.count()).isEmpty();
                assertThat(jobs.size()).isEmpty();
                assertThat(jobs.text()).isNull();
            });
            assertThat(calls(context, "job", "skipped")).isEqualTo(5);
            assertThat(calls(context, "job", "fallback")).isZero();
            assertThat(jobs.report()).contains("written");
            assertThat(calls(context, "job", "skipped")).isEqualTo(5);
        });
    }

    @Test
    void doesNotSkipWhenTheStoreDoesNotAnswer() {
        application.withBean(Jobs.class).run(context -> {
            context.getBean(LockEngine.class).stop();
            assertThatThrownBy(() -> context.getBean(Jobs.class).run()).isInstanceOf(LockBackendException.class);
        });
    }

    // Fallback

    static class Orders {

        @DistributedLock(name = "order", key = "#id", fallbackMethod = "busy")
        public String ship(long id) {
            return "shipped";
        }

        private String busy(long id, LockNotAcquiredException contention) {
            return "busy with " + contention.key();
        }

        @DistributedLock(name = "order", key = "#id", fallbackMethod = "label")
        public String label(long id, String text) {
            return text;
        }

        /** Another method, not a fallback. */
        public String label(long id) {
            return "label";
        }

        private String label(long id, String text, LockException failure) {
            return failure instanceof LockNotAcquiredException ? "busy" : "backend";
        }

        @DistributedLock(name = "order", key = "#id", fallbackMethod = "withoutException")
        public String pack(long id) {
            return "packed";
        }

        static String withoutException(long id) {
            return "packed later";
        }

        @DistributedLock(name = "order", key = "#id", fallbackMethod = "refuse")
        public String cancel(long id) throws IOException {
            return "cancelled";
        }

        final String refuse(long id) throws IOException {
            if (id > 0) {
                throw new IOException("refused " + id);
            }
            return "refused";
        }

        @DistributedLock(name = "order", key = "#id", fallbackMethod = "rethrow")
        public String send(long id) {
            return "sent";
        }

        private String rethrow(long id, LockNotAcquiredException contention) {
            throw contention;
        }

        @DistributedLock(name = "lost", leaseMs = 500, renewal = Renewal.OFF, fallbackMethod = "never")
        public String loseTheLock() {
            LockHandle handle = LockHandle.current().orElseThrow();
            Awaitility.await().until(() -> !handle.isHeld());
            return "done";
        }

        private String never(Throwable failure) {
            return "fallback";
        }
    }

    @Test
    void callsAPrivateFallbackWithTheArgumentsAndTheException() {
        application.withBean(Orders.class).run(context -> {
            Orders orders = context.getBean(Orders.class);
            whileHeld(context, "order:7", () -> assertThat(orders.ship(7)).isEqualTo("busy with order:7"));
            assertThat(orders.ship(7)).isEqualTo("shipped");
            assertThat(calls(context, "order", "fallback")).isOne();
            assertThat(calls(context, "order", "skipped")).isZero();
        });
    }

    @Test
    void callsAFallbackForAFailureOfTheStore() {
        application.withBean(Orders.class).run(context -> {
            Orders orders = context.getBean(Orders.class);
            whileHeld(context, "order:7", () -> assertThat(orders.label(7, "text"))
                    .isEqualTo("busy"));
            context.getBean(LockEngine.class).stop();
            assertThat(orders.label(7, "text")).isEqualTo("backend");
        });
    }

    @Test
    void callsAFallbackWithoutAnExceptionParameterOnlyForContention() {
        application.withBean(Orders.class).run(context -> {
            Orders orders = context.getBean(Orders.class);
            whileHeld(context, "order:7", () -> assertThat(orders.pack(7)).isEqualTo("packed later"));
            context.getBean(LockEngine.class).stop();
            assertThatThrownBy(() -> orders.pack(7)).isInstanceOf(LockBackendException.class);
            assertThatThrownBy(() -> orders.ship(7)).isInstanceOf(LockBackendException.class);
        });
    }

    @Test
    void rethrowsTheExceptionOfTheFallback() {
        application
                .withBean(Orders.class)
                .run(context -> whileHeld(context, "order:7", () -> {
                    assertThatThrownBy(() -> context.getBean(Orders.class).cancel(7))
                            .isExactlyInstanceOf(IOException.class)
                            .hasMessage("refused 7");
                    assertThatThrownBy(() -> context.getBean(Orders.class).send(7))
                            .isInstanceOf(LockNotAcquiredException.class);
                }));
    }

    @Test
    void neverCallsAFallbackForALoss() {
        application.withBean(Orders.class).run(context -> assertThatThrownBy(
                        () -> context.getBean(Orders.class).loseTheLock())
                .isInstanceOf(LockLostException.class));
    }

    @Test
    void neverCallsAFallbackForAnInterrupt() {
        application.withBean(Orders.class).run(context -> {
            Thread.currentThread().interrupt();
            Throwable thrown =
                    catchThrowable(() -> context.getBean(Orders.class).loseTheLock());
            assertThat(Thread.interrupted()).isTrue();
            assertThat(thrown).isInstanceOf(LockException.class).hasMessageContaining("Interrupted");
        });
    }

    // Which method it is

    interface Repository<T> {
        List<String> save(T entity);

        default List<String> saveLater(T entity) {
            return List.of("contract " + entity);
        }
    }

    abstract static class BaseRepository<T> implements Repository<T> {
        @Override
        @DistributedLock(name = "repository", fallbackMethod = "saveLater")
        public List<String> save(T entity) {
            return List.of("saved " + entity);
        }
    }

    static class Inherited extends BaseRepository<String> {}

    static class Overriding extends BaseRepository<String> {
        @Override
        public List<String> saveLater(String entity) {
            return List.of("overridden " + entity);
        }
    }

    @SuppressWarnings("unchecked")
    private static Repository<String> repository(ApplicationContext context) {
        return context.getBean(Repository.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void findsAFallbackDespiteGenericsAndBridgeMethods(boolean classProxies) {
        ApplicationContextRunner proxied =
                application.withPropertyValues("spring.aop.proxy-target-class=" + classProxies);
        proxied.withBean(Inherited.class)
                .run(context -> whileHeld(context, "repository", () -> assertThat(
                                repository(context).save("x"))
                        .containsExactly("contract x")));
        proxied.withBean(Overriding.class)
                .run(context -> whileHeld(context, "repository", () -> assertThat(
                                repository(context).save("x"))
                        .containsExactly("overridden x")));
    }

    interface Warehouse {
        @DistributedLock(name = "primary", fallbackMethod = "secondary")
        String primary();

        String secondary();

        String tertiary();
    }

    static class LockedWarehouse implements Warehouse {
        @Override
        public String primary() {
            return "primary";
        }

        @Override
        @DistributedLock(name = "secondary")
        public String secondary() {
            return "secondary under "
                    + LockHandle.current().map(LockHandle::key).orElse("no lock");
        }

        @Override
        @DistributedLock(name = "tertiary", fallbackMethod = "inTheClassOnly")
        public String tertiary() {
            return "tertiary";
        }

        public String inTheClassOnly() {
            return "class " + (getClass() == LockedWarehouse.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callsAFallbackThroughTheProxy(boolean classProxies) {
        application
                .withPropertyValues("spring.aop.proxy-target-class=" + classProxies)
                .withBean(LockedWarehouse.class)
                .run(context -> {
                    Warehouse warehouse = context.getBean(Warehouse.class);
                    whileHeld(context, "primary", () -> {
                        assertThat(warehouse.primary()).isEqualTo("secondary under secondary");
                        whileHeld(context, "secondary", () -> assertThatThrownBy(warehouse::primary)
                                .isInstanceOf(LockNotAcquiredException.class)
                                .hasMessageContaining("'secondary'"));
                    });
                    whileHeld(context, "tertiary", () -> assertThat(warehouse.tertiary())
                            .startsWith("class "));
                });
    }

    static class Base {
        @DistributedLock(name = "base", fallbackMethod = "fallback")
        public String run(Number value) {
            return "run";
        }

        protected String fallback(Number value) {
            return "base";
        }
    }

    static class Sub extends Base {
        @Override
        protected String fallback(Number value) {
            return "sub";
        }

        /** Another method: the locked one takes a Number. */
        protected String fallback(Integer value) {
            return "overload";
        }
    }

    static class Hidden {
        @DistributedLock(name = "private", fallbackMethod = "fallbackPrivate")
        public String runPrivate() {
            return "run";
        }

        @DistributedLock(name = "static", fallbackMethod = "fallbackStatic")
        public String runStatic() {
            return "run";
        }

        private String fallbackPrivate() {
            return "hidden";
        }

        static String fallbackStatic() {
            return "hidden";
        }
    }

    @SuppressWarnings({"UnusedMethod", "HidingField"})
    static class Hiding extends Hidden {
        private String fallbackPrivate() {
            return "hiding";
        }

        static String fallbackStatic() {
            return "hiding";
        }
    }

    @Test
    void callsAPrivateOrStaticFallbackThatHidesOneOfTheSuperclass() {
        application.withBean(Hiding.class).run(context -> {
            Hidden hiding = context.getBean(Hidden.class);
            whileHeld(context, "private", () -> assertThat(hiding.runPrivate()).isEqualTo("hiding"));
            whileHeld(context, "static", () -> assertThat(hiding.runStatic()).isEqualTo("hiding"));
        });
    }

    @Test
    void callsTheFallbackOfASubclassWithTheSameParameters() {
        application.withBean(Sub.class).run(context -> {
            whileHeld(context, "base", () -> assertThat(
                            context.getBean(Base.class).run(1))
                    .isEqualTo("sub"));
        });
        application.withBean(Base.class).run(context -> {
            whileHeld(context, "base", () -> assertThat(
                            context.getBean(Base.class).run(1))
                    .isEqualTo("base"));
        });
    }

    static class Generic {
        @DistributedLock(name = "generic", fallbackMethod = "fallback")
        public <T extends Comparable<T>> T greatest(List<T> values, Function<T, T> copy) {
            return values.get(values.size() - 1);
        }

        private <T extends Comparable<T>> T fallback(List<T> values, Function<T, T> copy) {
            return copy.apply(values.get(0));
        }
    }

    @Test
    void findsAFallbackOfAGenericMethod() {
        application
                .withBean(Generic.class)
                .run(context -> whileHeld(context, "generic", () -> {
                    Integer least = context.getBean(Generic.class).greatest(List.of(1, 2), each -> each);
                    assertThat(least).isEqualTo(1);
                }));
    }
}
