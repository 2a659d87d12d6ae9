package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockRequest;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.DecoratingProxy;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/**
 * Finds and caches the locked methods of each class as {@code AbstractFallbackTransactionAttributeSource} finds
 * transactional ones, so that each call that {@code @Transactional} would intercept is locked. The nearest annotation
 * wins: on the method or one that it overrides or implements, else on its class or a supertype of it, else on an
 * interface method that it implements for a subclass, else, for a public method, on the bean's class or a supertype.
 * Annotations of types exclude private methods and methods of Object. Thread-safe.
 */
public final class LockedMethods {

    private final Map<Class<?>, List<LockedMethod>> byClass = new ConcurrentHashMap<>();
    private final Map<MethodClassKey, Optional<LockedMethod>> byCall = new ConcurrentHashMap<>();
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

    List<LockedMethod> of(Class<?> type) {
        return cached(byClass, ClassUtils.getUserClass(type), this::read);
    }

    /** Not by computeIfAbsent: reading may load classes. */
    private static <K, V> V cached(Map<K, V> cache, K key, Function<K, V> reader) {
        V known = cache.get(key);
        if (known != null) {
            return known;
        }
        V read = reader.apply(key);
        cache.put(key, read);
        return read;
    }

    /**
     * The requests of the methods in the classes read so far.
     *
     * @param locks name of the {@code LockOperations} bean
     */
    public Stream<LockRequest> requests(String locks) {
        return byClass.values().stream()
                .flatMap(List::stream)
                .filter(method -> method.locks().equals(locks))
                .map(LockedMethod::request);
    }

    /**
     * Finds the lock of a call.
     *
     * @param called a method of the class or a supertype; may be a bridge
     */
    Optional<LockedMethod> find(Method called, Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        return cached(byCall, new MethodClassKey(called, userClass), call -> read(called, userClass));
    }

    private List<LockedMethod> read(Class<?> type) {
        if (!isAnnotated(type)) {
            return List.of();
        }
        Map<Method, LockedMethod> locked = new LinkedHashMap<>();
        List<LockStartException> ofHelpers = new ArrayList<>();
        methodsOf(type).forEach(method -> {
            try {
                find(method, type).ifPresent(each -> locked.putIfAbsent(each.method(), each));
            } catch (LockStartException e) {
                if (!isHelper(method, type)) {
                    throw e;
                }
                ofHelpers.add(e);
            }
        });
        if (locked.isEmpty() && !ofHelpers.isEmpty()) {
            throw ofHelpers.get(0);
        }
        locked.values().forEach(each -> checkFallbackEnds(each, type));
        return List.copyOf(locked.values());
    }

    /** Fallbacks would call each other as long as their locks are contended. */
    private void checkFallbackEnds(LockedMethod method, Class<?> type) {
        if (method.contention() instanceof Fallback fallback
                && find(fallback.method(), type)
                        .filter(next -> next.contention() instanceof Fallback)
                        .isPresent()) {
            throw new LockStartException(
                    method.method(),
                    "its fallback " + LockStartException.describe(fallback.method()) + " has a fallback itself.",
                    "Remove the fallbackMethod of the fallback, and handle its LockNotAcquiredException there.");
        }
    }

    /** Locked by the annotation of a type, and called by its own class, as a rule; a call through the proxy fails. */
    private static boolean isHelper(Method called, Class<?> type) {
        Method method = AopUtils.getMostSpecificMethod(called, type);
        return !Modifier.isPublic(method.getModifiers())
                && annotation(method, type)
                        .filter(annotation -> annotation.getSource() instanceof Class<?>)
                        .isPresent();
    }

    /** {@return whether calls of the method are to be intercepted} Does not validate the annotation. */
    boolean isLocked(Method called, Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        Optional<LockedMethod> known = byCall.get(new MethodClassKey(called, userClass));
        return known == null
                ? annotation(AopUtils.getMostSpecificMethod(called, userClass), userClass)
                        .isPresent()
                : known.isPresent();
    }

    private Optional<LockedMethod> read(Method called, Class<?> type) {
        Method method = AopUtils.getMostSpecificMethod(called, type);
        return annotation(method, type)
                .map(annotation -> LockedMethod.of(
                        declaration(method, type), type, annotation, placeholders, inTransaction.get()));
    }

    private static Optional<MergedAnnotation<DistributedLock>> annotation(Method method, Class<?> type) {
        return places(method, type)
                .map(LockedMethods::annotation)
                .filter(MergedAnnotation::isPresent)
                .filter(annotation ->
                        annotation.getSource() instanceof Method || isLockableByType(declaration(method, type)))
                .findFirst();
    }

    /** Nearest first. */
    private static Stream<AnnotatedElement> places(Method method, Class<?> type) {
        Stream<AnnotatedElement> own = Stream.of(method, method.getDeclaringClass());
        Stream<AnnotatedElement> contracts = methodsOf(type)
                .filter(each -> each.getDeclaringClass().isInterface()
                        && AopUtils.getMostSpecificMethod(each, type).equals(method))
                .map(Function.identity());
        Stream<AnnotatedElement> ofBean = Modifier.isPublic(method.getModifiers()) ? Stream.of(type) : Stream.empty();
        return Stream.of(own, contracts, ofBean).flatMap(Function.identity());
    }

    private static MergedAnnotation<DistributedLock> annotation(AnnotatedElement place) {
        return MergedAnnotations.from(place, SearchStrategy.TYPE_HIERARCHY).get(DistributedLock.class);
    }

    /** A proxy answers the methods of {@link Advised} and {@link DecoratingProxy} itself. */
    private static boolean isLockableByType(Method method) {
        Class<?> declaring = method.getDeclaringClass();
        return (method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0
                && ClassUtils.isUserLevelMethod(method)
                && !ReflectionUtils.isObjectMethod(method)
                && !declaring.isAssignableFrom(Advised.class)
                && declaring != DecoratingProxy.class;
    }

    /** The class of a JDK proxy has neither names of parameters nor generic types. */
    private static Method declaration(Method method, Class<?> type) {
        return Proxy.isProxyClass(type)
                ? BridgeMethodResolver.findBridgedMethod(ClassUtils.getInterfaceMethodIfPossible(method, type))
                : method;
    }

    private static boolean isAnnotated(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, DistributedLock.class)
                && (annotation(type).isPresent()
                        || methodsOf(type).anyMatch(method -> MergedAnnotations.from(method)
                                .isPresent(DistributedLock.class)));
    }

    /** As {@link AopUtils#canApply(Pointcut, Class)} finds them, without helpers of a compiler, such as Kotlin's. */
    private static Stream<Method> methodsOf(Class<?> type) {
        return Stream.concat(Stream.of(type), ClassUtils.getAllInterfacesForClassAsSet(type).stream())
                .flatMap(each -> Arrays.stream(ReflectionUtils.getAllDeclaredMethods(each)))
                .filter(method -> method.isBridge() || !method.isSynthetic());
    }
}
