package io.github.lockstarter.reactive;

import io.github.lockstarter.Execution;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link ReactiveLockOperations} with the application's {@link LockOperations}. Thread-safe. */
public final class ReactiveLockTemplate implements ReactiveLockOperations {

    private final LockOperations locks;

    /**
     * Creates the template.
     *
     * @param locks acquires the locks
     */
    public ReactiveLockTemplate(LockOperations locks) {
        this.locks = Objects.requireNonNull(locks, "locks");
    }

    @Override
    public <T> Mono<T> execute(LockRequest request, Mono<T> work) {
        return execute(request, work, Mono::error);
    }

    @Override
    public <T> Flux<T> execute(LockRequest request, Flux<T> work) {
        return execute(request, work, Flux::error);
    }

    @Override
    public <T> Mono<T> execute(LockRequest request, Mono<T> work, Function<LockException, Mono<T>> otherwise) {
        return Mono.usingWhen(
                Mono.fromSupplier(() -> new LockedSubscription(locks, request)),
                subscription -> subscription
                        .acquireThen(handle -> subscription.run(handle, work), otherwise)
                        .flatMap(Function.identity()),
                LockedSubscription::complete,
                LockedSubscription::fail,
                LockedSubscription::cancel);
    }

    @Override
    public <T> Flux<T> execute(LockRequest request, Flux<T> work, Function<LockException, Flux<T>> otherwise) {
        return Flux.usingWhen(
                Mono.fromSupplier(() -> new LockedSubscription(locks, request)),
                subscription -> subscription
                        .acquireThen(handle -> subscription.run(handle, work), otherwise)
                        .flatMapMany(Function.identity()),
                LockedSubscription::complete,
                LockedSubscription::fail,
                LockedSubscription::cancel);
    }

    @Override
    @SuppressWarnings("NullAway") // NullAway ignores @Nullable of type arguments
    public <T> Mono<Execution<@Nullable T>> tryExecute(LockRequest request, Mono<T> work) {
        LockRequest once = request.terms().maxWait().isPresent() ? request : request.withoutWaiting();
        Mono<Execution<@Nullable T>> executed = work.<Execution<@Nullable T>>map(Execution.Executed::new)
                .switchIfEmpty(Mono.fromSupplier(() -> new Execution.Executed<>(null)));
        return execute(
                once,
                executed,
                refusal -> refusal instanceof LockNotAcquiredException
                        ? Mono.just(new Execution.Skipped<>())
                        : Mono.error(refusal));
    }
}
