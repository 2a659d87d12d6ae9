package io.github.lockstarter.aop;

import io.github.lockstarter.InTransaction;
import io.github.lockstarter.transaction.ReactiveCommitGuard;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.aspectj.AbstractAspectJAdvice;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.ClassUtils;

/**
 * Rejects a locked method whose advices, including those of nested proxies, would release the lock before the commit or
 * before an asynchronous body ends, or run {@code @Async} on the caller's thread. Sees a bean when all post-processors
 * have added their advices: Spring registers a post-processor of merged definitions with the ordered ones, so that it
 * sees what later ones need, and again at the end.
 */
public final class AdviceOrderCheck implements MergedBeanDefinitionPostProcessor, Ordered {

    private static final Logger log = LoggerFactory.getLogger(AdviceOrderCheck.class);

    /** spring-retry, Spring 7 and Resilience4j. */
    private static final Pattern RETRY = Pattern.compile(
            "org\\.springframework\\.(resilience\\.)?retry\\.|io\\.github\\.resilience4j\\..*\\bretry\\.");

    /** Of Spring 7, by name, because older ones have none. */
    private static final String CONCURRENCY_LIMIT = "org.springframework.resilience.annotation.ConcurrencyLimit";

    private final SingletonBeanRegistry beans;
    private final LockedMethods methods;

    public AdviceOrderCheck(SingletonBeanRegistry beans, LockedMethods methods) {
        this.beans = beans;
        this.methods = methods;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {}

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        methods.of(AopUtils.getTargetClass(bean))
                .forEach(method -> check(method, LockedBeanCheck.exposed(bean, beanName, beans)));
        return bean;
    }

    private static void check(LockedMethod locked, Object proxy) {
        List<Object> chain = advices(proxy, locked.method()).toList();
        List<Object> outside = chain.stream()
                .takeWhile(advice -> !(advice instanceof LockAdvice))
                .toList();
        if (outside.size() == chain.size()) {
            return; // another proxy locks this method
        }
        checkFallback(locked, proxy, outside);
        boolean kept = locked.inTransaction() == InTransaction.RELEASE_AFTER
                && !locked.shape().endsLater();
        if (!kept && outside.stream().anyMatch(TransactionAdvice::isTransactional)) {
            throw new LockStartException(
                    locked.method(),
                    "the transaction advice is outside of the lock, so the lock would be released before the commit.",
                    "Remove the order of @EnableTransactionManagement, whose default is inside the lock's, or "
                            + "set distributed-lock.order below it. If another proxy has the transaction, annotate the "
                            + "locked method with @Transactional instead.");
        }
        if (chain.stream()
                .dropWhile(advice -> !(advice instanceof ReactiveCommitGuard.Registering))
                .anyMatch(TransactionAdvice::isTransactional)) {
            log.warn(
                    "The commits of {} are not checked for lost locks, because the transaction advice is registered "
                            + "after the check: give it an earlier order, such as "
                            + "@EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 1)",
                    LockStartException.describe(locked.method()));
        }
        if (chain.stream().skip(outside.size()).anyMatch(AdviceOrderCheck::repeats)) {
            throw new LockStartException(
                    locked.method(),
                    "the advice that repeats a failed call is inside of the lock, so it would run the method again "
                            + "after a loss, without the lock.",
                    "Put it outside of the lock, where each attempt acquires the lock again: "
                            + "@EnableRetry(order = Ordered.LOWEST_PRECEDENCE - 1100), or "
                            + "resilience4j.retry.retry-aspect-order=2147482547. An order below "
                            + "distributed-lock.order is outside.");
        }
        if (chain.stream().skip(outside.size()).anyMatch(AsyncExecutionInterceptor.class::isInstance)) {
            throw new LockStartException(
                    locked.method(),
                    "the asynchronous advice is inside of the lock, so the lock would be released while the method "
                            + "still runs.",
                    "Remove the order of @EnableAsync, or a second creator of proxies such as "
                            + "DefaultAdvisorAutoProxyCreator, and give an advisor of the application an order below "
                            + "distributed-lock.order; or call the locked method, of another bean, from the "
                            + "asynchronous one.");
        }
        if (locked.shape() == MethodShape.ASYNC_THREAD
                && outside.stream().noneMatch(AsyncExecutionInterceptor.class::isInstance)) {
            throw new LockStartException(
                    locked.method(),
                    "it has @Async, and no asynchronous advice is around it, so the thread of its caller would wait "
                            + "for the future that it returns.",
                    "Add @EnableAsync to a configuration of the application, or remove @Async: the lock is held until "
                            + "a CompletableFuture ends, and no thread waits.");
        }
    }

    /**
     * The call that the fallback replaces has a thread of the executor, or a permit of the limit, until the fallback
     * has ended. The fallback would use the same if the class has the annotation.
     */
    private static void checkFallback(LockedMethod locked, Object proxy, List<Object> outside) {
        if (!(locked.contention() instanceof Fallback fallback)
                || locked.shape() == MethodShape.REACTIVE
                || !fallback.isSeenBy(proxy)) {
            return;
        }
        boolean awaitsItself = advices(proxy, fallback.method())
                .filter(outside::contains)
                .anyMatch(advice -> advice instanceof AsyncExecutionInterceptor
                        ? locked.shape() == MethodShape.ASYNC_THREAD
                                && isOfClass(Async.class.getName(), locked.method(), fallback.method())
                        : advice.getClass().getName().contains("ConcurrencyLimit")
                                && isOfClass(CONCURRENCY_LIMIT, locked.method(), fallback.method()));
        if (awaitsItself) {
            throw new LockStartException(
                    locked.method(),
                    "@Async or @ConcurrencyLimit of the class applies to its fallback, too: the fallback would wait "
                            + "for the thread or permit of the call that it replaces, under load forever.",
                    "Annotate the locked method instead of the class, or make the fallback private.");
        }
    }

    private static boolean isOfClass(String annotation, Method... methods) {
        return Arrays.stream(methods)
                .map(method -> MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY))
                .noneMatch(annotations -> annotations.isPresent(annotation));
    }

    /** Whether an advice inside of the lock suspends the caller's transaction. */
    static boolean hasOwnTransaction(Object proxy, Method method, Class<?> type) {
        return advices(proxy, method)
                .dropWhile(advice -> !(advice instanceof LockAdvice))
                .anyMatch(advice -> TransactionAdvice.suspendsTransaction(advice, method, type));
    }

    /** By name, because the application may not have these libraries. */
    private static boolean repeats(Object advice) {
        Class<?> code = advice instanceof AbstractAspectJAdvice aspect
                ? aspect.getAspectJAdviceMethod().getDeclaringClass()
                : advice.getClass();
        return RETRY.matcher(code.getName()).lookingAt();
    }

    /** Outermost first. */
    private static Stream<Object> advices(@Nullable Object bean, Method method) {
        if (!(bean instanceof Advised proxy)) {
            return Stream.empty();
        }
        Class<?> type = proxy.getTargetSource().getTargetClass();
        Stream<Object> own = Arrays.stream(proxy.getAdvisors())
                .filter(advisor -> isOf(advisor, method, type == null ? method.getDeclaringClass() : type))
                .map(Advisor::getAdvice);
        return proxy.getTargetSource() instanceof SingletonTargetSource inner
                ? Stream.concat(own, advices(inner.getTarget(), method))
                : own;
    }

    private static boolean isOf(Advisor advisor, Method method, Class<?> type) {
        return !(advisor instanceof PointcutAdvisor advice)
                || (advice.getPointcut().getClassFilter().matches(type)
                        && advice.getPointcut().getMethodMatcher().matches(method, type));
    }

    /** Recognises advices that begin transactions, if spring-tx is on the class path. */
    private static final class TransactionAdvice {

        private static final boolean HAS_SPRING_TX = ClassUtils.isPresent(
                "org.springframework.transaction.support.TransactionSynchronizationManager",
                TransactionAdvice.class.getClassLoader());

        static boolean isTransactional(Object advice) {
            return HAS_SPRING_TX && advice instanceof TransactionAspectSupport;
        }

        /** Whether the call never takes part in its caller's transaction. */
        static boolean suspendsTransaction(Object advice, Method method, Class<?> type) {
            TransactionAttributeSource attributes =
                    advice instanceof TransactionAspectSupport aspect ? aspect.getTransactionAttributeSource() : null;
            TransactionAttribute attribute =
                    attributes == null ? null : attributes.getTransactionAttribute(method, type);
            return attribute != null
                    && switch (attribute.getPropagationBehavior()) {
                        case TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                                TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
                                TransactionDefinition.PROPAGATION_NEVER -> true;
                        default -> false;
                    };
        }
    }
}
