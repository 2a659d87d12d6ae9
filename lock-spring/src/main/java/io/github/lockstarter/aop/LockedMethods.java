package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.leader.LeaderLocks;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/**
 * Finds and caches the locked methods of each class. The nearest annotation wins: on the method or one that it
 * overrides or implements, else on the class or a superclass (for public methods), else on an interface (for its
 * methods). Annotations of types exclude methods of Object. Thread-safe.
 */
public final class LockedMethods {

    private final Map<Class<?>, Map<Method, LockedMethod>> byClass = new ConcurrentHashMap<>();
    private final StringValueResolver placeholders;
    private final Supplier<InTransaction> inTransaction;

    /**
     * Creates an empty cache.
     *
     * @param placeholders resolves <code>${…}</code>; may throw an {@link IllegalArgumentException} or leave it
     *     unchanged
     */
    public LockedMethods(StringValueResolver placeholders, Supplier<InTransaction> inTransaction) {
        this.placeholders = placeholders;
        this.inTransaction = inTransaction;
    }

    Map<Method, LockedMethod> of(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        Map<Method, LockedMethod> known = byClass.get(userClass);
        if (known != null) {
            return known;
        }
        Map<Method, LockedMethod> read = read(userClass); // not in computeIfAbsent: it may load classes
        byClass.put(userClass, read);
        return read;
    }

    /** The leader roles of the classes read so far. */
    public Stream<String> roles() {
        return byClass.values().stream()
                .flatMap(locked -> locked.values().stream())
                .filter(LockedMethod::isLeaderOnly)
                .flatMap(method -> LeaderLocks.roleOf(method.request().name()).stream());
    }

    Optional<LockedMethod> find(Method called, Class<?> type) {
        Map<Method, LockedMethod> locked = of(type);
        if (locked.isEmpty()) {
            return Optional.empty();
        }
        Method method = Proxy.isProxyClass(type) ? called : AopUtils.getMostSpecificMethod(called, type);
        return Optional.ofNullable(locked.get(method));
    }

    private Map<Method, LockedMethod> read(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
            return Map.of();
        }
        Map<Method, MergedAnnotation<DistributedLock>> contracts = contracts(type);
        MergedAnnotation<DistributedLock> ofType =
                MergedAnnotations.from(type, SearchStrategy.SUPERCLASS).get(DistributedLock.class);
        Map<Method, MergedAnnotation<DistributedLock>> annotations =
                MethodIntrospector.selectMethods(type, (Method method) -> annotation(method, contracts, ofType));
        Map<Method, LockedMethod> locked = new HashMap<>();
        annotations.forEach((method, annotation) ->
                locked.put(method, LockedMethod.of(method, type, annotation, placeholders, inTransaction.get())));
        locked.values().forEach(each -> checkFallbackEnds(each, locked));
        return Map.copyOf(locked);
    }

    /** Fallbacks would call each other as long as their locks are contended. */
    private static void checkFallbackEnds(LockedMethod method, Map<Method, LockedMethod> locked) {
        if (!(method.contention() instanceof Fallback fallback)) {
            return;
        }
        LockedMethod next = locked.get(fallback.method());
        if (next != null && next.contention() instanceof Fallback) {
            throw new LockStartException(
                    method.method(),
                    "its fallback " + LockStartException.describe(fallback.method()) + " has a fallback itself.",
                    "Remove the fallbackMethod of the fallback, and handle its LockNotAcquiredException there.");
        }
    }

    private static @Nullable MergedAnnotation<DistributedLock> annotation(
            Method method,
            Map<Method, MergedAnnotation<DistributedLock>> contracts,
            MergedAnnotation<DistributedLock> ofType) {
        MergedAnnotation<DistributedLock> own = onMethod(method);
        if (own.isPresent()) {
            return own;
        }
        MergedAnnotation<DistributedLock> contract = contracts.get(method);
        if (contract != null && contract.getSource() instanceof Method) {
            return contract;
        }
        boolean reachable = Modifier.isPublic(method.getModifiers()) && isLockableByType(method);
        return ofType.isPresent() && reachable ? ofType : contract;
    }

    /** By implementing method, which may be inherited. */
    private static Map<Method, MergedAnnotation<DistributedLock>> contracts(Class<?> type) {
        Map<Method, MergedAnnotation<DistributedLock>> contracts = new HashMap<>();
        for (Class<?> contract : ClassUtils.getAllInterfacesForClass(type)) {
            MergedAnnotation<DistributedLock> ofContract = MergedAnnotations.from(
                            contract, SearchStrategy.TYPE_HIERARCHY)
                    .get(DistributedLock.class);
            ReflectionUtils.doWithLocalMethods(contract, method -> {
                MergedAnnotation<DistributedLock> own = onMethod(method);
                MergedAnnotation<DistributedLock> nearest = own.isPresent() ? own : ofContract;
                boolean isLockable =
                        own.isPresent() ? !Modifier.isStatic(method.getModifiers()) : isLockableByType(method);
                if (nearest.isPresent() && isLockable) {
                    contracts.putIfAbsent(implementing(method, type), nearest);
                }
            });
        }
        return contracts;
    }

    private static boolean isLockableByType(Method method) {
        return !Modifier.isStatic(method.getModifiers()) && !ReflectionUtils.isObjectMethod(method);
    }

    private static Method implementing(Method method, Class<?> type) {
        return Proxy.isProxyClass(type) ? method : AopUtils.getMostSpecificMethod(method, type);
    }

    private static MergedAnnotation<DistributedLock> onMethod(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(DistributedLock.class);
    }
}
