package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LibraryService;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Locked methods whose calls the proxy of their bean does not see, or not in the right order. */
@SuppressWarnings("UnusedVariable") // the fields make the references circular
class InvisibleMethodTests {

    private final ApplicationContextRunner application = LockRunner.application();

    private static void assertFails(ApplicationContextRunner runner, String bean, String problem, String action) {
        FailureReport.assertThat(runner)
                .startsWith("Bean '" + bean + "': @DistributedLock on ")
                .contains(problem)
                .contains(action);
    }

    static class OfAnotherPackage extends LibraryService {}

    @Test
    void startFailsForAMethodVisibleOnlyInAnotherPackage() {
        assertFails(
                application.withBean("subject", OfAnotherPackage.class),
                "subject",
                "LibraryService.work() cannot take effect: it is package-private, and the proxy, which is in another "
                        + "package or class loader, cannot override it",
                "Make the method public or protected");
    }

    /** Public, since its proxy comes from another class loader. */
    public static class PackagePrivate {
        @DistributedLock
        void ship() {}
    }

    @Test
    void startFailsForAPackagePrivateMethodOfAnotherClassLoader() {
        assertFails(
                application
                        .withClassLoader(new FilteredClassLoader("org.aspectj"))
                        .withBean("subject", PackagePrivate.class),
                "subject",
                "PackagePrivate.ship() cannot take effect: it is package-private, and the proxy, which is in another "
                        + "package or class loader, cannot override it",
                "Make the method public or protected");
    }

    @Test
    void acceptsAPackagePrivateMethodOfTheSamePackage() {
        application.withBean(PackagePrivate.class).run(context -> assertThat(context)
                .hasNotFailed());
    }

    static class Circular {
        @Autowired
        private Other other;

        @DistributedLock
        public final void ship() {}
    }

    static class Other {
        @Autowired
        private Circular circular;
    }

    @Test
    void startFailsForAFinalMethodOfABeanInACircularReference() {
        assertFails(
                application
                        .withAllowCircularReferences(true)
                        .withBean("subject", Circular.class)
                        .withBean(Other.class),
                "subject",
                "cannot override a final method",
                "Remove 'final'");
    }

    @Test
    void refusesALazyBeanInACircularReferenceWhenItIsCreated() {
        application
                .withAllowCircularReferences(true)
                .withBean(Circular.class, Circular::new, definition -> definition.setLazyInit(true))
                .withBean(Other.class, Other::new, definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(catchThrowable(() -> context.getBean(Circular.class)))
                            .hasStackTraceContaining("cannot override a final method");
                });
    }

    static class CircularTransfer {
        @Autowired
        private OtherTransfer other;

        @Transactional
        @DistributedLock
        public void transfer() {}
    }

    static class OtherTransfer {
        @Autowired
        private CircularTransfer circular;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class TransactionsFirst {}

    @Test
    void startFailsForTheWrongAdviceOrderInACircularReference() {
        assertFails(
                application
                        .withAllowCircularReferences(true)
                        .withUserConfiguration(H2Bank.class, TransactionsFirst.class)
                        .withBean("subject", CircularTransfer.class)
                        .withBean(OtherTransfer.class),
                "subject",
                "the transaction advice is outside of the lock",
                "Remove the order of @EnableTransactionManagement");
    }

    static class Needed {
        @DistributedLock
        public final void ship() {}
    }

    /** Created after the proxy creators, and before most post-processors. */
    @Configuration(proxyBeanMethods = false)
    static class NeedingConfiguration {
        @Bean
        static Needed subject() {
            return new Needed();
        }

        @Bean
        static BeanPostProcessor needing(Needed needed) {
            assertThat(AopUtils.isAopProxy(needed)).isTrue();
            return new BeanPostProcessor() {};
        }
    }

    @Test
    void startFailsForAFinalMethodOfABeanThatAPostProcessorNeeds() {
        assertFails(
                application.withUserConfiguration(NeedingConfiguration.class),
                "subject",
                "cannot override a final method",
                "Remove 'final'");
    }

    @DistributedLock(name = "library")
    static class WithHelper {

        /** Cannot be locked, and is called by this class only. */
        Stream<String> rows() {
            return Stream.of("row");
        }

        public long count() {
            assertThat(LockHandle.current()).isPresent();
            return rows().count();
        }
    }

    @DistributedLock(name = "library")
    static class OnlyHelper {
        Stream<String> rows() {
            return Stream.of("row");
        }
    }

    @Test
    void startsWithAHelperThatCannotBeLocked() {
        application.withBean(WithHelper.class).run(context -> {
            WithHelper bean = context.getBean(WithHelper.class);
            assertThat(bean.count()).isOne();
            assertThatThrownBy(bean::rows).hasMessageContaining("WithHelper.rows()");
        });
        application
                .withBean(OnlyHelper.class)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("OnlyHelper.rows()"));
    }
}
