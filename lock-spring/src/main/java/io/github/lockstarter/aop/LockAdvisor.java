package io.github.lockstarter.aop;

import io.github.lockstarter.LockOperations;
import java.lang.reflect.Method;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;

/** Puts the lock around the annotated methods of the application's beans. */
public final class LockAdvisor implements PointcutAdvisor, Ordered {

    private final Pointcut pointcut;
    private final LockInterceptor interceptor;
    private final IntSupplier order;

    /**
     * Creates the advisor. It exists before most other beans do: what it is given is asked for with the first locked
     * bean, or call.
     *
     * @param methods which methods are locked
     * @param operations locks, by the name of their bean; blank for the one that is injected by type
     * @param skippedCalls is told of calls that did not run their method
     * @param order position among the other advices of a bean
     */
    public LockAdvisor(
            LockedMethods methods,
            Function<String, LockOperations> operations,
            SkippedCallListener skippedCalls,
            IntSupplier order) {
        this.pointcut = new LockedMethodPointcut(methods);
        this.interceptor = new LockInterceptor(methods, operations, skippedCalls);
        this.order = order;
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return interceptor;
    }

    @Override
    public int getOrder() {
        return order.getAsInt();
    }

    private static final class LockedMethodPointcut extends StaticMethodMatcherPointcut {

        private final LockedMethods methods;

        private LockedMethodPointcut(LockedMethods methods) {
            this.methods = methods;
        }

        @Override
        public ClassFilter getClassFilter() {
            return type -> !methods.of(type).isEmpty();
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return methods.find(method, targetClass).isPresent();
        }
    }
}
