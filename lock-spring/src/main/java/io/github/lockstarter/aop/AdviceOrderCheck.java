package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.IntroductionAdvisor;
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

    /** By name, since the application may have no spring-tx. */
    private static final String TRANSACTIONS = "org.springframework.transaction.interceptor.TransactionAspectSupport";

    private final Method method;
    private final List<Link> chain = new ArrayList<>();

    private AdviceOrderCheck(Method method) {
        this.method = method;
    }

    /** An advice that applies to the method, the outermost first, and how many proxies there are around its own. */
    private record Link(Advisor advisor, int depth) {

        int order() {
            return advisor instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
        }
    }

    /**
     * Looks at the advices of a locked method.
     *
     * @throws InvalidLockDeclarationException when one is on the wrong side of the lock
     */
    static void check(LockedMethod locked, Object proxy) {
        AdviceOrderCheck check = new AdviceOrderCheck(locked.method());
        check.collect(proxy, 0);
        first(check.chain, advisor -> advisor instanceof LockAdvisor).ifPresent(lock -> {
            check.checkAround(lock);
            if (locked.shape() == MethodShape.ASYNC_THREAD) {
                check.checkAsynchronous();
            }
        });
    }

    private void collect(@Nullable Object bean, int depth) {
        if (!(bean instanceof Advised proxy)) {
            return;
        }
        for (Advisor advisor : proxy.getAdvisors()) {
            if (applies(advisor, proxy)) {
                chain.add(new Link(advisor, depth));
            }
        }
        if (proxy.getTargetSource() instanceof SingletonTargetSource inner) {
            collect(inner.getTarget(), depth + 1);
        }
    }

    private boolean applies(Advisor advisor, Advised proxy) {
        if (!(advisor instanceof PointcutAdvisor selective)) {
            return !(advisor instanceof IntroductionAdvisor);
        }
        Class<?> type = proxy.getTargetSource().getTargetClass();
        Class<?> target = type == null ? method.getDeclaringClass() : type;
        Pointcut pointcut = selective.getPointcut();
        return (proxy.isPreFiltered() || pointcut.getClassFilter().matches(target))
                && MethodMatchers.matches(pointcut.getMethodMatcher(), method, target, false);
    }

    private void checkAround(Link lock) {
        int position = chain.indexOf(lock);
        first(chain.subList(0, position), AdviceOrderCheck::isTransactional).ifPresent(transaction -> {
            throw new InvalidLockDeclarationException(
                    method,
                    "the transaction advice (order " + transaction.order() + ") is outside of the lock (order "
                            + lock.order() + "), so the lock would be released before the commit.",
                    adviceFor(transaction, lock));
        });
        first(chain.subList(position, chain.size()), AdviceOrderCheck::isAsynchronous)
                .ifPresent(asynchronous -> {
                    throw new InvalidLockDeclarationException(
                            method,
                            "the asynchronous advice (order " + asynchronous.order() + ") is inside of the lock (order "
                                    + lock.order() + "), so the lock would be released while the method still runs.",
                            "Leave out the order of @EnableAsync, and give an advisor of the application an order below "
                                    + lock.order()
                                    + "; or call the locked method, of another bean, from the asynchronous "
                                    + "one.");
                });
    }

    private void checkAsynchronous() {
        if (chain.stream().noneMatch(link -> isAsynchronous(link.advisor()))) {
            throw new InvalidLockDeclarationException(
                    method,
                    "it has @Async, and no asynchronous advice is around it, so the thread of its caller would wait for the "
                            + "future that it returns.",
                    "Add @EnableAsync to a configuration of the application, or remove @Async: the lock is held until "
                            + "a CompletableFuture ends, and no thread waits.");
        }
    }

    private static String adviceFor(Link transaction, Link lock) {
        if (transaction.depth() != lock.depth()) {
            return "A proxy with the transaction is around the proxy with the lock: annotate the locked method with "
                    + "@Transactional instead, or lock the method that calls it.";
        }
        String lockOutside = transaction.order() == Ordered.HIGHEST_PRECEDENCE
                ? ""
                : "Set distributed-lock.order below " + transaction.order() + ". Or: ";
        return lockOutside
                + "Leave out the order of @EnableTransactionManagement, whose default is inside of the lock's.";
    }

    private static Optional<Link> first(List<Link> links, Predicate<Advisor> kind) {
        return links.stream().filter(link -> kind.test(link.advisor())).findFirst();
    }

    private static boolean isAsynchronous(Advisor advisor) {
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor;
    }

    private static boolean isTransactional(Advisor advisor) {
        for (Class<?> type = advisor.getAdvice().getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(TRANSACTIONS)) {
                return true;
            }
        }
        return false;
    }
}
