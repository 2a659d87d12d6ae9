package io.github.lockstarter.aop;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.SkippedCallListener;
import java.lang.reflect.Method;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;

/** Adds locking to the annotated methods of the application's beans. */
@SuppressWarnings("serial") // never serialized, like its superclass
public final class LockAdvisor extends StaticMethodMatcherPointcutAdvisor {

    private final LockedMethods methods;
    private final IntSupplier order;

    /**
     * The collaborators are resolved with the first locked bean or call, because advisors are created early.
     *
     * @param operations locks by bean name; blank for the primary bean
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
        return methods.isLocked(method, targetClass);
    }

    @Override
    public int getOrder() {
        return order.getAsInt();
    }
}
