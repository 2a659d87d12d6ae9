package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.MethodMatchers;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.core.Ordered;

/**
 * Refuses a locked method whose lock would be released too early by the order of the advices around it: a transaction
 * advice outside of the lock commits after the release, an asynchronous advice inside of the lock runs the method on
 * another thread and returns at once. Refuses one that has {@code @Async} and no such advice, too. Sees the advices of
 * one proxy and of the proxies inside of it.
 */
final class AdviceOrderCheck {

    private AdviceOrderCheck() {}

    /**
     * Looks at the advices of a locked method.
     *
     * @throws InvalidLockDeclarationException when one is on the wrong side of the lock
     */
    static void check(LockedMethod locked, Object proxy) {
        Method method = locked.method();
        List<Advisor> chain = advisors(proxy, method).toList();
        Optional<Advisor> lock =
                chain.stream().filter(LockAdvisor.class::isInstance).findFirst();
        if (lock.isEmpty()) {
            return;
        }
        int position = chain.indexOf(lock.get());
        int order = order(lock.get());
        first(chain.subList(0, position), CallersTransaction::isTransactional).ifPresent(transaction -> {
            throw new InvalidLockDeclarationException(
                    method,
                    "the transaction advice (order " + order(transaction) + ") is outside of the lock (order " + order
                            + "), so the lock would be released before the commit.",
                    "Leave out the order of @EnableTransactionManagement, whose default is inside of the lock's. Or: "
                            + "Set distributed-lock.order below " + order(transaction)
                            + ". If another proxy has the transaction, annotate the locked method with @Transactional "
                            + "instead.");
        });
        first(chain.subList(position, chain.size()), AdviceOrderCheck::isAsynchronous)
                .ifPresent(asynchronous -> {
                    throw new InvalidLockDeclarationException(
                            method,
                            "the asynchronous advice (order " + order(asynchronous) + ") is inside of the lock (order "
                                    + order + "), so the lock would be released while the method still runs.",
                            "Leave out the order of @EnableAsync, and give an advisor of the application an order below "
                                    + order
                                    + "; or call the locked method, of another bean, from the asynchronous one.");
                });
        if (locked.shape() == MethodShape.ASYNC_THREAD
                && first(chain, AdviceOrderCheck::isAsynchronous).isEmpty()) {
            throw new InvalidLockDeclarationException(
                    method,
                    "it has @Async, and no asynchronous advice is around it, so the thread of its caller would wait for the "
                            + "future that it returns.",
                    "Add @EnableAsync to a configuration of the application, or remove @Async: the lock is held until "
                            + "a CompletableFuture ends, and no thread waits.");
        }
    }

    /** Those that apply to the method, the outermost first. */
    private static Stream<Advisor> advisors(@Nullable Object bean, Method method) {
        if (!(bean instanceof Advised proxy)) {
            return Stream.empty();
        }
        Stream<Advisor> own = Arrays.stream(proxy.getAdvisors()).filter(advisor -> applies(advisor, method, proxy));
        return proxy.getTargetSource() instanceof SingletonTargetSource inner
                ? Stream.concat(own, advisors(inner.getTarget(), method))
                : own;
    }

    private static boolean applies(Advisor advisor, Method method, Advised proxy) {
        if (!(advisor instanceof PointcutAdvisor selective)) {
            return false;
        }
        Class<?> type = proxy.getTargetSource().getTargetClass();
        Class<?> target = type == null ? method.getDeclaringClass() : type;
        Pointcut pointcut = selective.getPointcut();
        return (proxy.isPreFiltered() || pointcut.getClassFilter().matches(target))
                && MethodMatchers.matches(pointcut.getMethodMatcher(), method, target, false);
    }

    private static int order(Advisor advisor) {
        return advisor instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
    }

    private static Optional<Advisor> first(List<Advisor> advisors, Predicate<Advice> kind) {
        return advisors.stream()
                .filter(advisor -> kind.test(advisor.getAdvice()))
                .findFirst();
    }

    private static boolean isAsynchronous(Advice advice) {
        return advice instanceof AsyncExecutionInterceptor;
    }
}
