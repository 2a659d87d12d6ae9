package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.transaction.testing.H2Bank;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** Advices on the wrong side of the lock: a commit behind the release, a body on another thread than the lock. */
@ExtendWith(OutputCaptureExtension.class)
class AdviceOrderTests {

    private final ApplicationContextRunner application = LockRunner.application();

    private ApplicationContextRunner withTransactionsOutside() {
        return application.withUserConfiguration(H2Bank.class, TransactionsFirst.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class TransactionsFirst {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class TransactionsAsUsual {}

    interface Paying {
        int pay();
    }

    static class Accounts implements Paying {
        private final LockOperations locks;
        private int heldAtCommit = -1;

        Accounts(LockOperations locks) {
            this.locks = locks;
        }

        @Override
        @DistributedLock
        @Transactional
        public int pay() {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    heldAtCommit = locks.heldLocks().size();
                }
            });
            return 1;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.aop.proxy-target-class=true", "spring.aop.proxy-target-class=false"})
    void startFailsWhenTheTransactionAdviceIsOutsideTheLock(String proxy) {
        FailureReport.assertThat(
                        withTransactionsOutside().withPropertyValues(proxy).withBean("accounts", Accounts.class))
                .startsWith("Bean 'accounts': @DistributedLock on AdviceOrderTests.Accounts.pay()")
                .contains("the transaction advice is outside of the lock, so the lock would be released before "
                        + "the commit")
                .contains("set distributed-lock.order below it")
                .contains("@EnableTransactionManagement");
    }

    static class Keeping {
        private final LockOperations locks;
        private int heldAfterwards = -1;

        Keeping(LockOperations locks) {
            this.locks = locks;
        }

        @DistributedLock(inTransaction = InTransaction.RELEASE_AFTER)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void pay() {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    heldAfterwards = locks.heldLocks().size();
                }
            });
        }

        int heldAfterwards() {
            return heldAfterwards;
        }
    }

    @Test
    void startsWhenTheTransactionAdviceIsOutsideALockThatTheTransactionKeeps() {
        withTransactionsOutside().withBean(Keeping.class).run(context -> {
            Keeping keeping = context.getBean(Keeping.class);
            keeping.pay();
            assertThat(keeping.heldAfterwards()).isOne();
            assertThat(LockRunner.held(context).size()).isZero();
        });
    }

    @Test
    void startFailsWhenLockAndTransactionsHaveTheSameOrder() {
        FailureReport.assertThat(application
                        .withUserConfiguration(H2Bank.class, TransactionsAsUsual.class)
                        .withPropertyValues("distributed-lock.order=" + Ordered.LOWEST_PRECEDENCE)
                        .withBean("accounts", Accounts.class))
                .contains("the transaction advice is outside of the lock");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void holdsTheLockAtTheCommitIfItsOrderIsBelowThatOfTheTransactions(boolean classProxies) {
        for (ApplicationContextRunner ordered : List.of(
                application.withUserConfiguration(H2Bank.class, TransactionsAsUsual.class),
                withTransactionsOutside().withPropertyValues("distributed-lock.order=-1"))) {
            ordered.withPropertyValues("spring.aop.proxy-target-class=" + classProxies)
                    .withBean(Held.class)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        context.getBean(Held.class).pay();
                        assertThat(context.getBean(Held.class).atCommit()).isOne();
                        assertThat(LockRunner.held(context).size()).isZero();
                    });
        }
    }

    /** Without an interface, so that its proxy is a subclass in any case. */
    static class Held {
        private final Accounts accounts;

        Held(LockOperations locks) {
            this.accounts = new Accounts(locks);
        }

        @DistributedLock
        @Transactional
        public void pay() {
            accounts.pay();
        }

        public int atCommit() {
            return accounts.heldAtCommit;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyAccounts {
        @Bean
        @Lazy
        Accounts accounts(LockOperations locks) {
            return new Accounts(locks);
        }
    }

    @Test
    void checksALazyBeanWhenItIsCreated() {
        withTransactionsOutside().withUserConfiguration(LazyAccounts.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(catchThrowable(() -> context.getBean(Accounts.class)))
                    .hasStackTraceContaining("is outside of the lock");
        });
    }

    static class Separate {
        @DistributedLock
        public void locked() {}

        @Transactional
        public void transactional() {}
    }

    @Test
    void acceptsALockedAndATransactionalMethodInOneClass() {
        withTransactionsOutside().withBean(Separate.class).run(context -> assertThat(context)
                .hasNotFailed());
    }

    static class LockedOnly implements Paying {
        @Override
        @DistributedLock
        public int pay() {
            return 1;
        }
    }

    /** A proxy with a transaction around a bean that is a proxy with a lock. */
    @Configuration(proxyBeanMethods = false)
    static class ProxyAroundAProxy {
        @Bean
        LockedOnly inner() {
            return new LockedOnly();
        }

        @Bean
        Paying outer(LockedOnly inner, TransactionInterceptor transactions) {
            ProxyFactory outer = new ProxyFactory(inner);
            outer.addAdvisor(new DefaultPointcutAdvisor(transactions));
            return (Paying) outer.getProxy();
        }
    }

    @Test
    void startFailsWhenAnotherProxyPutsTheTransactionAroundTheLock() {
        FailureReport.assertThat(application.withUserConfiguration(
                        H2Bank.class, TransactionsAsUsual.class, ProxyAroundAProxy.class))
                .startsWith("Bean 'outer': @DistributedLock on AdviceOrderTests.LockedOnly.pay()")
                .contains("the transaction advice is outside of the lock");
    }

    static class InBackground {
        @Async
        @DistributedLock
        public void run() {}
    }

    /** Spring's own advice is outside of the lock: this one is a bean like other advisors. */
    @Configuration(proxyBeanMethods = false)
    static class AsynchronousLast {
        @Bean
        static Advisor asynchronous() {
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    new AnnotationMatchingPointcut(null, Async.class, true),
                    new AsyncExecutionInterceptor(new SimpleAsyncTaskExecutor("background-")));
            advisor.setOrder(Ordered.LOWEST_PRECEDENCE);
            return advisor;
        }
    }

    @Test
    void startFailsWhenTheAsyncAdviceIsInsideTheLock() {
        FailureReport.assertThat(application
                        .withUserConfiguration(AsynchronousLast.class)
                        .withBean("background", InBackground.class))
                .startsWith("Bean 'background': @DistributedLock on AdviceOrderTests.InBackground.run()")
                .contains("the asynchronous advice is inside of the lock, so the lock would be released while "
                        + "the method still runs")
                .contains("an order below distributed-lock.order")
                .contains("a second creator of proxies such as DefaultAdvisorAutoProxyCreator");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsynchronousAsUsual {}

    @Test
    void acceptsTheAsyncAdviceOfSpringOutsideTheLock() {
        application
                .withUserConfiguration(AsynchronousAsUsual.class)
                .withBean(InBackground.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Resilient {}

    @Async
    static class InBackgroundWithFallback {
        @DistributedLock(name = "order", fallbackMethod = "busy")
        public CompletableFuture<String> ship() {
            return CompletableFuture.completedFuture("shipped");
        }

        public CompletableFuture<String> busy() {
            return CompletableFuture.completedFuture("busy");
        }
    }

    @ConcurrencyLimit(1)
    static class LimitedWithFallback {
        @DistributedLock(name = "order", fallbackMethod = "busy")
        public String ship() {
            return "shipped";
        }

        public String busy() {
            return "busy";
        }
    }

    /** Each would wait for a thread or a permit that the call of the locked method has. */
    @ParameterizedTest
    @ValueSource(classes = {InBackgroundWithFallback.class, LimitedWithFallback.class})
    void startFailsIfTheFallbackWouldWaitForTheCallThatItReplaces(Class<?> type) {
        FailureReport.assertThat(application
                        .withUserConfiguration(AsynchronousAsUsual.class, Resilient.class)
                        .withBean("orders", type))
                .startsWith("Bean 'orders': @DistributedLock on AdviceOrderTests." + type.getSimpleName() + ".ship()")
                .contains("of the class applies to its fallback, too")
                .contains("Annotate the locked method instead of the class, or make the fallback private.");
    }

    @ConcurrencyLimit(1)
    static class LimitedWithPrivateFallback {
        @DistributedLock(name = "order", maxWaitMs = 0, fallbackMethod = "busy")
        public String ship() {
            return "shipped";
        }

        @SuppressWarnings("unused") // a fallback
        private String busy() {
            return "busy";
        }
    }

    static class EachLimited {
        @ConcurrencyLimit(1)
        @DistributedLock(name = "order", maxWaitMs = 0, fallbackMethod = "busy")
        public String ship() {
            return "shipped";
        }

        @ConcurrencyLimit(1)
        public String busy() {
            return "busy";
        }
    }

    static class InBackgroundAlone {
        @Async
        @DistributedLock(name = "order", maxWaitMs = 0, fallbackMethod = "busy")
        public CompletableFuture<String> ship() {
            return CompletableFuture.completedFuture("shipped");
        }

        public CompletableFuture<String> busy() {
            return CompletableFuture.completedFuture("busy");
        }
    }

    @Test
    void callsAFallbackThatHasNotTheLimitOfItsClass() {
        application
                .withUserConfiguration(AsynchronousAsUsual.class, Resilient.class)
                .withBean(LimitedWithPrivateFallback.class)
                .withBean(EachLimited.class)
                .withBean(InBackgroundAlone.class)
                .run(context -> {
                    LockHandle other = context.getBean(LockOperations.class)
                            .acquire(LockRequest.of("order").ownedByHandle());
                    assertThat(context.getBean(LimitedWithPrivateFallback.class).ship())
                            .isEqualTo("busy");
                    assertThat(context.getBean(EachLimited.class).ship()).isEqualTo("busy");
                    assertThat(context.getBean(InBackgroundAlone.class).ship().get(Patience.SECONDS, TimeUnit.SECONDS))
                            .isEqualTo("busy");
                    other.release();
                });
    }

    static class Later {
        @DistributedLock
        @Transactional
        public CompletableFuture<String> pay() {
            return CompletableFuture.completedFuture("paid");
        }
    }

    /** A transaction keeps no lock that no thread owns. */
    @Test
    void startFailsWhenTheTransactionAdviceIsOutsideTheLockOfAStage() {
        FailureReport.assertThat(withTransactionsOutside()
                        .withPropertyValues("distributed-lock.in-transaction=release-after")
                        .withBean(Later.class))
                .contains("the transaction advice is outside of the lock");
    }

    @AutoConfiguration(after = DistributedLockAutoConfiguration.class)
    @EnableTransactionManagement
    static class TransactionsLast {}

    static class Reactive {
        @DistributedLock
        @Transactional
        public Mono<String> pay() {
            return Mono.just("paid");
        }
    }

    /** Advisors of one order apply in the order of their registration. */
    @Test
    void warnsOfReactiveTransactionsThatAreNotCheckedBeforeTheirCommit(CapturedOutput output) {
        ApplicationContextRunner reactive =
                application.withUserConfiguration(H2Bank.class).withBean(Reactive.class);
        reactive.withUserConfiguration(TransactionsAsUsual.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("are not checked for lost locks");
        reactive.withConfiguration(AutoConfigurations.of(TransactionsLast.class))
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains("The commits of AdviceOrderTests.Reactive.pay() are not checked for lost locks")
                .contains("@EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 1)");
    }

    /** An advice of the application, wherever it is. */
    @Configuration(proxyBeanMethods = false)
    static class Measuring {
        @Bean
        static Advisor measuring() {
            MethodInterceptor nothing = MethodInvocation::proceed;
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    new AnnotationMatchingPointcut(null, DistributedLock.class, true), nothing);
            advisor.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return advisor;
        }
    }

    @Test
    void acceptsOtherAdviceOutsideTheLock() {
        application
                .withUserConfiguration(H2Bank.class, TransactionsAsUsual.class, Measuring.class)
                .withBean(Held.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
