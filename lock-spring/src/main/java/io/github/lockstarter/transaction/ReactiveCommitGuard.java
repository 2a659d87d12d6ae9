package io.github.lockstarter.transaction;

import io.github.lockstarter.LockContext;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/**
 * {@link CommitGuard} for the reactive transactions of {@code @Transactional} methods: rolls a transaction back if a
 * lock of the subscriber was lost before the commit, or stays in doubt. Never blocks.
 *
 * <p>Each transaction gets a synchronization, which asks in the subscriber's context. Only code inside of the
 * transaction can register it, hence the lowest precedence: that of the transaction advice, too, which is registered
 * earlier and so is outside. Types of other libraries than Reactor and Kotlin pass no context on: their transactions
 * stay unguarded.
 */
@SuppressWarnings("serial") // never serialized, like its superclass
public final class ReactiveCommitGuard extends StaticMethodMatcherPointcutAdvisor {

    private static final TransactionSynchronization GUARD = new TransactionSynchronization() {
        @Override
        public Mono<Void> beforeCommit(boolean readOnly) {
            return Mono.deferContextual(subscriber -> Mono.fromFuture(subscriber
                    .<LockContext>getOrEmpty(LockContext.KEY)
                    .orElse(LockContext.NONE)
                    .ensureAllHeldAsync()));
        }
    };

    private static final Mono<Void> REGISTRATION = TransactionSynchronizationManager.forCurrentTransaction()
            .filter(transaction -> transaction.isSynchronizationActive()
                    && !transaction.getSynchronizations().contains(GUARD))
            .doOnNext(transaction -> transaction.registerSynchronization(GUARD))
            .onErrorComplete(NoTransactionException.class)
            .then();

    /** Not the bean: advisors are asked before it exists. */
    private final TransactionAttributeSource transactional = new AnnotationTransactionAttributeSource(false);

    /** Creates the guard. */
    public ReactiveCommitGuard() {
        super(new Registering());
        setClassFilter(transactional::isCandidateClass);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        Method called = AopUtils.getMostSpecificMethod(method, targetClass); // of a generic interface, too
        boolean reactive = KotlinDetector.isSuspendingFunction(called) || adapterOf(called.getReturnType()) != null;
        return reactive && transactional.getTransactionAttribute(method, targetClass) != null;
    }

    /** Null for a stage, which runs before anybody subscribes. */
    private static @Nullable ReactiveAdapter adapterOf(Class<?> type) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        return adapter != null && adapter.getDescriptor().isDeferred() ? adapter : null;
    }

    /** The advice. */
    public static final class Registering implements MethodInterceptor {

        private Registering() {}

        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            Object returned = invocation.proceed();
            ReactiveAdapter adapter = returned == null ? null : adapterOf(returned.getClass());
            if (adapter == null) {
                return returned;
            }
            Publisher<?> work = adapter.toPublisher(returned);
            return adapter.fromPublisher(
                    adapter.isMultiValue() ? REGISTRATION.thenMany(work) : REGISTRATION.then(Mono.fromDirect(work)));
        }
    }
}
