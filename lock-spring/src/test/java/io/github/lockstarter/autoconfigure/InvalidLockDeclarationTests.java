package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.NonNull;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.PriorityOrdered;

@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // fallback methods are called by their names
class InvalidLockDeclarationTests {

    private static final String FALLBACK =
            "Declare one method 'busy' with the parameters and the result of the locked one";

    private final ApplicationContextRunner application = LockRunner.application();

    private void assertFails(ApplicationContextRunner runner, Class<?> type, String problem, String action) {
        assertFailsForBean(runner.withBean("subject", type), "subject", problem, action);
    }

    private static void assertFailsForBean(
            ApplicationContextRunner runner, String bean, String problem, String action) {
        FailureReport.assertThat(runner)
                .startsWith("Bean '" + bean + "': @DistributedLock on InvalidLockDeclarationTests.")
                .contains(problem)
                .contains(action);
    }

    static class UnknownArgument {
        @DistributedLock(key = "#ordrId")
        public void ship(long orderId) {}
    }

    static class FinalMethod {
        @DistributedLock
        public final void ship() {}
    }

    interface Shipping {
        void ship();
    }

    static class FinalImplementation implements Shipping {
        @Override
        @DistributedLock
        public final void ship() {}

        @DistributedLock
        public void undeclared() {}
    }

    static class FinalDeclared implements Shipping {
        @Override
        @DistributedLock
        public final void ship() {}
    }

    @Test
    void acceptsAFinalMethodBehindAJdkProxy() {
        application
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean("subject", Shipping.class, FinalDeclared::new)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void startFailsForAMethodThatTheJdkProxyDoesNotHave() {
        assertFails(
                application.withPropertyValues("spring.aop.proxy-target-class=false"),
                FinalImplementation.class,
                "FinalImplementation.undeclared() cannot take effect: the bean is behind a JDK proxy",
                "spring.aop.proxy-target-class=true");
    }

    static final class FinalClass {
        @DistributedLock
        public void ship() {}
    }

    record RecordClass(int state) implements Shipping {
        RecordClass() {
            this(0);
        }

        @Override
        @DistributedLock
        public void ship() {}
    }

    @Test
    void acceptsAFinalClassBehindAJdkProxy() {
        application
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean("subject", Shipping.class, RecordClass::new)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Beside Boot's default, which makes subclasses. */
    @Test
    void acceptsAFinalClassThatIsProxiedByItsInterfaces() {
        application.withUserConfiguration(ProxiedByInterfaces.class).run(context -> assertThat(context)
                .hasNotFailed());
    }

    static class ProxiedByInterfaces {
        @Bean
        @Proxyable(ProxyType.INTERFACES)
        RecordClass subject() {
            return new RecordClass();
        }
    }

    static class LongMinimum {
        @DistributedLock(leaseMs = 10_000, minHoldMs = 11_000)
        public void report() {}
    }

    static class LongLease {
        @DistributedLock(leaseMs = 31_000)
        public void ship() {}
    }

    /** Created before anything that makes proxies. */
    static class EarlyProcessor implements BeanPostProcessor, PriorityOrdered {
        @DistributedLock
        public void ship() {}

        @Override
        public int getOrder() {
            return 0;
        }
    }

    static class Needed {
        @DistributedLock
        public void ship() {}
    }

    static class Needing implements BeanPostProcessor, PriorityOrdered {
        Needing(Needed needed) {
            assertThat(needed).isNotNull();
        }

        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Configuration
    static class NeedingConfiguration {
        @Bean
        static Needing needing(Needed needed) {
            return new Needing(needed);
        }
    }

    @Test
    void startFailsForABeanThatAPostProcessorNeeds() {
        assertFailsForBean(
                application.withBean("needed", Needed.class).withUserConfiguration(NeedingConfiguration.class),
                "needed",
                "the bean was created before the lock",
                "a bean of its own");
    }

    @Test
    void refusesAPrototypeThatAPostProcessorNeeds() {
        assertFailsForBean(
                application
                        .withBean("needed", Needed.class, Needed::new, definition -> definition.setScope("prototype"))
                        .withUserConfiguration(NeedingConfiguration.class),
                "needed",
                "the bean was created before the lock",
                "a bean of its own");
    }

    @Configuration
    static class EarlyConfiguration {
        @Bean
        BeanFactoryPostProcessor notStatic() {
            return beans -> {};
        }

        @DistributedLock
        public void ship() {}
    }

    @Test
    void checksALazyBeanWhenItIsCreated() {
        application
                .withBean(FinalMethod.class, FinalMethod::new, definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(catchThrowable(() -> context.getBean(FinalMethod.class)))
                            .hasStackTraceContaining("cannot override a final method");
                });
    }

    /** Of a kind that is never proxied. */
    static class LockedInterceptor implements MethodInterceptor {
        @Override
        @DistributedLock
        public Object invoke(MethodInvocation invocation) throws Throwable {
            return invocation.proceed();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"singleton", "prototype"})
    void refusesABeanThatIsNeverProxiedWhenItIsCreated(String scope) {
        application
                .withBean("subject", LockedInterceptor.class, LockedInterceptor::new, definition -> {
                    definition.setLazyInit(true);
                    definition.setScope(scope);
                })
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(catchThrowable(() -> context.getBean("subject")))
                            .hasStackTraceContaining("is of a kind that is never proxied");
                });
    }

    // Outcomes of contention

    static class Primitive {
        @DistributedLock(ifContended = IfContended.SKIP)
        public int count() {
            return 1;
        }
    }

    static class NonNullResult {
        @DistributedLock(ifContended = IfContended.SKIP)
        public @NonNull String text() {
            return "";
        }
    }

    static class Both {
        @DistributedLock(ifContended = IfContended.SKIP, fallbackMethod = "busy")
        public void run() {}

        private void busy() {}
    }

    static class Missing {
        @DistributedLock(fallbackMethod = "busy")
        public List<String> ship(long id, List<String> lines) {
            return lines;
        }
    }

    static class OtherParameters {
        @DistributedLock(fallbackMethod = "busy")
        public String ship(long id) {
            return "";
        }

        private String busy(String id) {
            return "";
        }

        private String busy() {
            return "";
        }
    }

    static class Itself {
        @DistributedLock(fallbackMethod = "ship")
        public String ship(long id) {
            return "";
        }
    }

    static class Several {
        @DistributedLock(fallbackMethod = "busy")
        public String ship(long id) {
            return "";
        }

        private String busy(long id) {
            return "";
        }

        private String busy(long id, LockNotAcquiredException contention) {
            return "";
        }
    }

    static class BackendOnly {
        @DistributedLock(fallbackMethod = "down")
        public void run() {}

        private void down(LockBackendException failure) {}
    }

    static class OtherResult {
        @DistributedLock(fallbackMethod = "busy")
        public String ship() {
            return "";
        }

        private Object busy() {
            return "";
        }
    }

    static class VoidResult {
        @DistributedLock(fallbackMethod = "busy")
        public String ship() {
            return "";
        }

        private void busy() {}
    }

    static class OtherElements {
        @DistributedLock(fallbackMethod = "busy")
        public List<String> lines() {
            return List.of();
        }

        private List<Integer> busy() {
            return List.of();
        }
    }

    static class Chain {
        @DistributedLock(fallbackMethod = "second")
        public void first() {}

        @DistributedLock(fallbackMethod = "third")
        public void second() {}

        private void third() {}
    }

    private static Stream<Arguments> invalid() {
        return Stream.of(
                arguments(
                        UnknownArgument.class,
                        "UnknownArgument.ship(long) cannot take effect: key expression '#ordrId' uses '#ordrId', which is not"
                                + " an argument.",
                        "A key may use #orderId, #p0, #a0"),
                arguments(FinalMethod.class, "cannot override a final method", "Remove 'final'"),
                arguments(
                        FinalClass.class,
                        "FinalClass.ship() cannot take effect: the proxy is a subclass, and "
                                + "InvalidLockDeclarationTests.FinalClass is a final class.",
                        "Make it a class that is not final"),
                arguments(
                        RecordClass.class,
                        "InvalidLockDeclarationTests.RecordClass is a record.",
                        "set spring.aop.proxy-target-class=false"),
                arguments(
                        LongMinimum.class,
                        "minHold of lock 'LongMinimum.report' is 11s, above the lease of the lock (10s)",
                        "raise the lease; for minutes, store the time of the last run"),
                arguments(
                        LongLease.class,
                        "lease of lock 'LongLease.ship' is 31s, above distributed-lock.max-lease (30s)",
                        "\n\nLower the lease, which is renewed while the work runs (unless that is switched off), or set "
                                + "distributed-lock.max-lease=31s in all applications"),
                arguments(EarlyProcessor.class, "the bean was created before the lock", "a bean of its own"),
                arguments(EarlyConfiguration.class, "the bean was created before the lock", "a bean of its own"),
                arguments(
                        Primitive.class,
                        "Primitive.count() cannot take effect: with ifContended = SKIP a skipped call has no result, and the "
                                + "method returns int.",
                        "Return a type that can be empty, such as an Optional"),
                arguments(
                        NonNullResult.class,
                        "the method returns a non-null String.",
                        "Return a type that can be empty, such as an Optional"),
                arguments(Both.class, "it has ifContended = SKIP and fallbackMethod = \"busy\".", "Remove one of them"),
                arguments(
                        Missing.class,
                        "fallbackMethod is \"busy\", and 0 other methods of that name in InvalidLockDeclarationTests.Missing have its"
                                + " parameters and its result.",
                        FALLBACK),
                arguments(OtherParameters.class, "0 other methods of that name", FALLBACK),
                arguments(Itself.class, "0 other methods of that name", "Declare one method 'ship'"),
                arguments(Several.class, "2 other methods of that name", FALLBACK),
                arguments(
                        BackendOnly.class, "0 other methods of that name", "may take a LockNotAcquiredException last"),
                arguments(OtherResult.class, "0 other methods of that name", FALLBACK),
                arguments(VoidResult.class, "0 other methods of that name", FALLBACK),
                arguments(OtherElements.class, "0 other methods of that name", FALLBACK),
                arguments(
                        Chain.class,
                        "its fallback InvalidLockDeclarationTests.Chain.second() has a fallback itself.",
                        "Remove the fallbackMethod of the fallback"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void startFails(Class<?> type, String problem, String action) {
        assertFails(application, type, problem, action);
    }

    static class Sound {
        @DistributedLock
        public void ship() {}
    }

    @Test
    void startFailsWhenLocksAreDisabled() {
        assertFails(
                new ApplicationContextRunner()
                        .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
                        .withPropertyValues("distributed-lock.enabled=false"),
                Sound.class,
                "distributed-lock.enabled is not true",
                "distributed-lock.backend=local");
    }

    /** Takes a bean so early that nothing can be put around it. */
    @Configuration(proxyBeanMethods = false)
    static class EarlyBird {

        @Bean
        static Sound subject() {
            return new Sound();
        }

        @Bean
        static BeanFactoryPostProcessor eager(Sound subject) {
            return beans -> {};
        }
    }

    @Test
    void startFailsForABeanThatAFactoryPostProcessorCreatedTooEarly() {
        assertFailsForBean(
                application.withUserConfiguration(EarlyBird.class),
                "subject",
                "created before the lock could be put around it",
                "Move the method to a bean of its own");
    }

    /** Puts another proxy around the locked one. */
    @Configuration(proxyBeanMethods = false)
    static class TwoProxies {

        @Bean
        static Sound subject() {
            return new Sound();
        }

        @Bean
        static BeanNameAutoProxyCreator second() {
            BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
            creator.setBeanNames("subject");
            creator.setProxyTargetClass(true);
            creator.setInterceptorNames("nothing");
            return creator;
        }

        @Bean
        static MethodInterceptor nothing() {
            return MethodInvocation::proceed;
        }
    }

    @Test
    void acceptsALockedBeanInsideAnotherProxy() {
        application.withUserConfiguration(TwoProxies.class).run(context -> assertThat(context)
                .hasNotFailed());
    }

    interface LockedShipping {
        @DistributedLock(name = "shipping")
        List<String> ship();
    }

    static class LockedShippingService implements LockedShipping {
        @Override
        public List<String> ship() {
            return LockHandle.current().map(LockHandle::keys).orElse(List.of());
        }
    }

    /** Hides the proxy of the lock behind a plain one. */
    static class Tracing implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return bean instanceof LockedShipping
                    ? Proxy.newProxyInstance(
                            bean.getClass().getClassLoader(),
                            new Class<?>[] {LockedShipping.class},
                            (proxy, method, arguments) -> method.invoke(bean, arguments))
                    : bean;
        }
    }

    @Test
    void acceptsALockedBeanBehindAPlainProxy() {
        application
                .withBean(Tracing.class)
                .withBean("subject", LockedShipping.class, LockedShippingService::new)
                .run(context ->
                        assertThat(context.getBean(LockedShipping.class).ship()).containsExactly("shipping"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WholeApplication {}

    @Test
    void startFailsWhenTheAutoConfigurationIsExcluded() {
        assertFails(
                new ApplicationContextRunner()
                        .withUserConfiguration(WholeApplication.class)
                        .withPropertyValues(
                                "distributed-lock.backend=local",
                                "spring.autoconfigure.exclude=" + DistributedLockAutoConfiguration.class.getName()),
                Sound.class,
                "DistributedLockAutoConfiguration is excluded",
                "distributed-lock.backend=local");
    }

    @Test
    void startsWithDisabledLocksThatNobodyUses() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void acceptsAMockOfALockedBean() {
        application
                .withInitializer(context -> context.getBeanFactory().registerSingleton("subject", mock(Sound.class)))
                .run(context -> assertThat(context).hasNotFailed());
    }
}
