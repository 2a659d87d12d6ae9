package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.testing.AheadOfTimeApplication;
import io.github.lockstarter.scheduling.ScheduledLock;
import io.github.lockstarter.testing.Effort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.util.ClassUtils;

/** An application that is processed ahead of time, then started on the JVM; and its hints for a native image. */
@Tag(Effort.FULL)
class AheadOfTimeTests {

    private static final String LOCAL = "distributed-lock.backend=local";

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
    static class Application {

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DistributedLockAutoConfiguration.class,
        AcmeLockAutoConfiguration.class,
        LockBackendOptionTests.OtherLockAutoConfiguration.class
    })
    static class ApplicationWithStores {}

    record Order(OrderId orderId, Customer customer) {}

    record OrderId(int shop, Long number) {}

    static class Customer {

        public String getName() {
            return "ann";
        }
    }

    static class Parcel {

        public final String note = "fragile";

        public LocalDate day() {
            return LocalDate.EPOCH;
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @ScheduledLock(name = "close", minHoldMs = 1)
    @interface Job {}

    static class Orders {

        @DistributedLock(key = "#order.customer.name", maxWaitMs = 0, fallbackMethod = "busy")
        public String ship(Order order) {
            return LockHandle.current().orElseThrow().key();
        }

        String busy(Order order, LockNotAcquiredException contended) {
            return "busy";
        }

        @DistributedLock(key = "#order.orderId")
        public void pack(Order order) {}

        @DistributedLock(key = {"#parcel.day.year", "#parcel.note", "#id.mostSignificantBits"})
        public void send(Parcel parcel, UUID id) {}

        @Job
        public void close() {}
    }

    @Test
    @CompileWithForkedClassLoader
    void usesTheStoreOfTheBuildAndRefusesAnother() {
        AheadOfTimeApplication.of(
                Application.class,
                application -> {
                    application.start(AheadOfTimeTests::assertLocksAndFallsBack, LOCAL);

                    assertThat(application.report(LOCAL, "distributed-lock.enabled=false"))
                            .isEqualTo("""
                                    distributed-lock.enabled is 'false', but was not when the application was built ahead of time

                                    Build with this value, or start with that of the build or without spring.aot.enabled""");
                    assertThat(application.report("distributed-lock.backend=redis"))
                            .startsWith("distributed-lock.backend is 'redis', but was not");
                },
                LOCAL);
    }

    private static void assertLocksAndFallsBack(GenericApplicationContext context) {
        Orders orders = context.getBean(Orders.class);
        Order order = new Order(new OrderId(1, 2L), new Customer());
        assertThat(orders.ship(order)).isEqualTo("Orders.ship:ann");
        context.getBean(LockOperations.class).execute("Orders.ship:ann", () -> assertThat(
                        CompletableFuture.supplyAsync(() -> orders.ship(order)).join())
                .isEqualTo("busy"));
    }

    @Test
    @Tag(Effort.FULL)
    @CompileWithForkedClassLoader
    void locksInAnAdditionalStore() {
        String first = "distributed-lock.backend=other";
        String further = "distributed-lock.further-backends=acme";
        AheadOfTimeApplication.of(
                ApplicationWithStores.class,
                application -> {
                    application.start(
                            context -> context.getBean("acmeLocks", LockOperations.class)
                                    .execute("order:1", () -> assertThat(context.getBean(LockOperations.class)
                                                    .tryAcquire("order:1"))
                                            .hasValueSatisfying(LockHandle::release)),
                            first,
                            further);
                    assertThat(application.report(
                                    "distributed-lock.backend=acme", "distributed-lock.further-backends=other"))
                            .startsWith("distributed-lock.backend is 'acme', but was not");
                },
                first,
                further);
    }

    @Test
    @Tag(Effort.FULL)
    @CompileWithForkedClassLoader
    void startFailsForAnAdditionalStoreThatTheBuildDoesNotHave() {
        AheadOfTimeApplication.of(
                ApplicationWithStores.class,
                application -> assertThat(application.report(
                                "distributed-lock.backend=other", "distributed-lock.further-backends=acme"))
                        .startsWith("distributed-lock.further-backends is 'acme', but was not"),
                "distributed-lock.backend=other");
    }

    @Test
    @Tag(Effort.FULL)
    @CompileWithForkedClassLoader
    void locksDisabledAtBuildTimeCannotBeEnabledAtStartup() {
        AheadOfTimeApplication.of(
                Application.class,
                application -> assertThat(application.report(LOCAL))
                        .contains("distributed-lock.enabled is not true", "build with it where the application"),
                "distributed-lock.enabled=false");
    }

    @Test
    void registersHintsForLockedMethods() throws Exception {
        RuntimeHints hints = AheadOfTimeApplication.hints(Application.class, LOCAL);

        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Orders.class, "ship"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(
                                Orders.class.getDeclaredMethod("busy", Order.class, LockNotAcquiredException.class)))
                .accepts(hints);
        for (var read : List.of(
                Order.class.getMethod("customer"),
                Order.class.getMethod("orderId"),
                Customer.class.getMethod("getName"),
                OrderId.class.getMethod("shop"),
                OrderId.class.getMethod("number"),
                Parcel.class.getMethod("day"),
                LocalDate.class.getMethod("getYear"),
                UUID.class.getMethod("getMostSignificantBits"))) {
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(read))
                    .as(read::toString)
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(Parcel.class, "note"))
                .accepts(hints);
        for (Class<?> annotation : List.of(DistributedLock.class, ScheduledLock.class, Job.class)) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(annotation)
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                    .as(annotation::toString)
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(DistributedLock.class))
                .accepts(hints);
    }

    /** A class whose presence is looked for by its name is absent from a native image that has no hint. */
    @Test
    void registersHintsForClassesThatAreLookedUpByName() throws IOException {
        RuntimeHints hints = new RuntimeHints();
        new DistributedLockAutoConfiguration.LockRuntimeHints()
                .registerHints(hints, getClass().getClassLoader());

        List<String> names = namesIn(Path.of("src/main/java"));

        assertThat(names).hasSizeGreaterThan(4);
        for (String name : names) {
            assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(name)))
                    .as(name)
                    .matches(predicate -> predicate.test(hints) || !ClassUtils.isPresent(name, null));
        }
    }

    private static List<String> namesIn(Path sources) throws IOException {
        Pattern lookedFor = Pattern.compile("isPresent\\(\\s*\"([\\w.]+)\"");
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(Files::isRegularFile)
                    .flatMap(file -> lookedFor.matcher(text(file)).results().map(found -> found.group(1)))
                    .toList();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
