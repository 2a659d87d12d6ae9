package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Optional;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * What a reactive method returns, as a publisher and back. A suspend function returns a publisher where an interceptor
 * sees it. Linked only where Reactor is there.
 *
 * @param adapter of the declared type; none for a suspend function
 * @param isMany whether there may be more than one value
 */
record ReactiveResult(Optional<ReactiveAdapter> adapter, boolean isMany) {

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";
    private static final String DEFERRED = "kotlinx.coroutines.Deferred";

    /** Whether a publisher can be given back as this very type, and is subscribed to before its work begins. */
    static boolean canBeMade(Class<?> type) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        return adapter != null
                && adapter.getReactiveType() == type
                && adapter.getDescriptor().isDeferred()
                && !type.getName().equals(DEFERRED);
    }

    /** Reads what a method of shape {@link MethodShape#REACTIVE} declares. */
    static ReactiveResult of(Method method) {
        if (KotlinDetector.isSuspendingFunction(method)) {
            Class<?> declared = new MethodParameter(method, -1).getParameterType();
            return new ReactiveResult(Optional.empty(), declared.getName().equals(FLOW));
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
        if (adapter == null) {
            throw new IllegalStateException("No adapter for " + method);
        }
        return new ReactiveResult(Optional.of(adapter), adapter.isMultiValue());
    }

    /** Whether it may end without a value. */
    boolean canBeEmpty() {
        return adapter.map(ReactiveAdapter::supportsEmpty).orElse(true);
    }

    Publisher<?> toPublisher(Object returned) {
        return adapter.<Publisher<?>>map(known -> known.toPublisher(returned)).orElseGet(() -> (Publisher<?>) returned);
    }

    Object fromPublisher(Publisher<?> publisher) {
        return adapter.map(known -> known.fromPublisher(publisher)).orElse(publisher);
    }
}
