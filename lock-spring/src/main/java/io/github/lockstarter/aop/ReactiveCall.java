package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import io.github.lockstarter.reactive.ReactiveLockTemplate;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Locks each subscription of a reactive method or suspend function without blocking. Links only with Reactor on the
 * class path.
 *
 * @param adapter null for a suspend function, whose interceptor receives a publisher
 */
record ReactiveCall(LockedCall call, @Nullable ReactiveAdapter adapter) {

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    static Object run(LockedCall call) {
        Method method = call.method().method();
        ReactiveAdapter adapter = KotlinDetector.isSuspendingFunction(method)
                ? null
                : ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
        boolean many = adapter == null
                ? new MethodParameter(method, -1).getParameterType().getName().equals(FLOW)
                : adapter.isMultiValue();
        ReactiveCall reactive = new ReactiveCall(call, adapter);
        ReactiveLockTemplate locks = new ReactiveLockTemplate(call.locks());
        Publisher<?> locked = many ? reactive.many(locks) : reactive.one(locks);
        return adapter == null ? locked : adapter.fromPublisher(locked);
    }

    private Flux<Object> many(ReactiveLockTemplate locks) {
        return locks.execute(
                call.request(),
                Flux.deferContextual(subscriber -> Flux.<Object>from(proceed(subscriber))),
                refusal -> Flux.deferContextual(subscriber -> Flux.from(handle(refusal, subscriber))));
    }

    private Mono<Object> one(ReactiveLockTemplate locks) {
        return locks.execute(
                call.request(),
                Mono.deferContextual(subscriber -> Mono.<Object>fromDirect(proceed(subscriber))),
                refusal -> Mono.deferContextual(subscriber -> Mono.fromDirect(handle(refusal, subscriber))));
    }

    /** Inside the subscription's locks, so the method can re-enter them. */
    private Publisher<?> proceed(ContextView subscriber) {
        try {
            return ReactiveLockOperations.contextOf(subscriber).call(() -> publisher(call.proceedDetached()));
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }

    /** Inside the caller's locks, without this one. */
    private Publisher<?> handle(LockException refusal, ContextView subscriber) {
        try {
            Object handled = call.handle(ReactiveLockOperations.contextOf(subscriber), refusal);
            return handled == null ? Mono.empty() : publisher(handled);
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }

    private Publisher<?> publisher(@Nullable Object returned) {
        if (returned == null) {
            throw new IllegalStateException(call.description()
                    + " returned null, and no publisher whose end releases the lock; it is released now");
        }
        return adapter == null ? (Publisher<?>) returned : adapter.toPublisher(returned);
    }
}
