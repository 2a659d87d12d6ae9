package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.target.SingletonTargetSource;

/**
 * Rejects a locked method whose advices, including those of nested proxies, would release the lock before the commit or
 * before an asynchronous body ends, or run {@code @Async} on the caller's thread.
 */
final class AdviceOrderCheck {

    private AdviceOrderCheck() {}

    static void check(LockedMethod locked, Object proxy) {
        List<Object> chain = advices(proxy, locked.method()).toList();
        List<Object> outside = chain.stream()
                .takeWhile(advice -> !(advice instanceof LockInterceptor))
                .toList();
        if (outside.size() == chain.size()) {
            return; // another proxy locks this method
        }
        if (outside.stream().anyMatch(CallersTransaction::isTransactional)) {
            throw new LockStartException(
                    locked.method(),
                    "the transaction advice is outside of the lock, so the lock would be released before the commit.",
                    "Remove the order of @EnableTransactionManagement, whose default is inside the lock's, or "
                            + "set distributed-lock.order below it. If another proxy has the transaction, annotate the "
                            + "locked method with @Transactional instead.");
        }
        if (chain.stream().skip(outside.size()).anyMatch(AsyncExecutionInterceptor.class::isInstance)) {
            throw new LockStartException(
                    locked.method(),
                    "the asynchronous advice is inside of the lock, so the lock would be released while the method "
                            + "still runs.",
                    "Remove the order of @EnableAsync, and give an advisor of the application an order below "
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

    /** Outermost first. */
    private static Stream<Object> advices(@Nullable Object bean, Method method) {
        if (!(bean instanceof Advised proxy)) {
            return Stream.empty();
        }
        Stream<Object> own = DefaultAdvisorChainFactory.INSTANCE
                .getInterceptorsAndDynamicInterceptionAdvice(
                        proxy, method, proxy.getTargetSource().getTargetClass())
                .stream();
        return proxy.getTargetSource() instanceof SingletonTargetSource inner
                ? Stream.concat(own, advices(inner.getTarget(), method))
                : own;
    }
}
