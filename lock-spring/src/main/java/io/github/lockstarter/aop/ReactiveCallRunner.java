package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import io.github.lockstarter.reactive.ReactiveLockTemplate;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Methods that return a reactive type, and suspend functions: each subscription acquires the lock without blocking,
 * calls the method, and releases when its publisher ends or is cancelled. Linked only where Reactor is there.
 */
final class ReactiveCallRunner extends LockedCallRunner {

    private final Map<Method, ReactiveResult> results = new ConcurrentHashMap<>();

    ReactiveCallRunner(Function<String, LockOperations> operations, SkippedCallListener skippedCalls) {
        super(operations, skippedCalls);
    }

    /** One call, which may be subscribed to many times. */
    private record Call(
            LockedMethod method, ReactiveResult result, MethodInvocation invocation, ReactiveCallRunner runner) {

        /** Calls the method. It finds its lock on this thread. */
        Publisher<?> proceed(ContextView subscriber) {
            try {
                return ReactiveLockOperations.contextOf(subscriber)
                        .call(() -> publisher(DetachedInvocation.proceed(DetachedInvocation.of(invocation))));
            } catch (Throwable e) {
                return Mono.error(e);
            }
        }

        /** Without the lock, and inside of those around the call. */
        @SuppressWarnings("NullAway") // it does not read @Nullable of a type argument
        Publisher<?> handle(LockException refusal, ContextView subscriber) {
            try {
                Object handled = ReactiveLockOperations.contextOf(subscriber)
                        .<@Nullable Object, Throwable>call(() -> runner.handle(method, invocation, refusal));
                return handled == null
                        ? Mono.empty()
                        : Flux.from(publisher(handled)).doOnError(failure -> suppress(refusal, failure));
            } catch (Throwable e) {
                return Mono.error(e);
            }
        }

        private static void suppress(LockException refusal, Throwable failure) {
            if (failure != refusal) {
                failure.addSuppressed(refusal);
            }
        }

        private Publisher<?> publisher(@Nullable Object returned) {
            if (returned == null) {
                throw new IllegalStateException(InvalidLockDeclarationException.describe(method.method())
                        + " returned null, and no publisher whose end releases the lock; it is released now");
            }
            return result.toPublisher(returned);
        }
    }

    @Override
    Object run(LockedMethod method, LockRequest request, MethodInvocation invocation) {
        ReactiveResult result = results.computeIfAbsent(method.method(), ReactiveResult::of);
        ReactiveLockTemplate locks = new ReactiveLockTemplate(locksOf(method));
        Call call = new Call(method, result, invocation, this);
        return result.fromPublisher(result.isMany() ? many(locks, request, call) : one(locks, request, call));
    }

    private static Flux<Object> many(ReactiveLockTemplate locks, LockRequest request, Call call) {
        Flux<Object> work = Flux.deferContextual(subscriber -> Flux.from(call.proceed(subscriber)));
        return locks.execute(
                request,
                work,
                refusal -> Flux.deferContextual(subscriber -> Flux.from(call.handle(refusal, subscriber))));
    }

    private static Mono<Object> one(ReactiveLockTemplate locks, LockRequest request, Call call) {
        Mono<Object> work = Mono.deferContextual(subscriber -> Mono.fromDirect(call.proceed(subscriber)));
        return locks.execute(
                request,
                work,
                refusal -> Mono.deferContextual(subscriber -> Mono.fromDirect(call.handle(refusal, subscriber))));
    }
}
