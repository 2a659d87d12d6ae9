package io.github.lockstarter.aop;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.SkippedCallListener;
import java.lang.reflect.Method;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;

/** Puts the lock around the annotated methods of the application's beans. */
@SuppressWarnings("serial") // as in the class that it extends: an advisor is never serialized
public final class LockAdvisor extends StaticMethodMatcherPointcutAdvisor {

    private final LockedMethods methods;
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
        super(new LockInterceptor(methods, operations, skippedCalls));
        this.methods = methods;
        this.order = order;
        setClassFilter(type -> !methods.of(type).isEmpty());
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return methods.find(method, targetClass).isPresent();
    }

    @Override
    public int getOrder() {
        return order.getAsInt();
    }
}
