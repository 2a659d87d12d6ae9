package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.EmptyKeys;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.Ownership;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.StringValueResolver;

/**
 * An annotated method and its lock, validated at startup.
 *
 * @param declared annotated element: this method, a method that it implements or overrides, or a type
 * @param request with the name as its only key
 * @param locks name of the {@code LockOperations} bean; blank for the primary one
 * @param inTransaction for the interceptor; the request carries what is left to the locks
 */
record LockedMethod(
        Method method,
        AnnotatedElement declared,
        List<KeyExpression> keys,
        EmptyKeys emptyKeys,
        LockRequest request,
        String locks,
        MethodShape shape,
        Contention contention,
        InTransaction inTransaction) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]+");
    private static final Pattern OTHER_CHARACTERS = Pattern.compile("[^A-Za-z0-9._-]");

    /** @param configured default of {@code inTransaction} */
    static LockedMethod of(
            Method method,
            Class<?> type,
            MergedAnnotation<DistributedLock> annotation,
            StringValueResolver properties,
            InTransaction configured) {
        AnnotatedElement declared = annotation.getSource() instanceof AnnotatedElement element ? element : method;
        checkInterceptable(method);
        MethodShape shape = MethodShape.of(method, type);
        DistributedLock attributes = annotation.synthesize();
        Method annotated = declared instanceof Method source ? source : method;
        KeyParameters parameters = KeyParameters.of(annotated, method);
        Placeholders placeholders = new Placeholders(method, properties);
        List<KeyExpression> keys = Arrays.stream(attributes.key())
                .map(key -> KeyExpression.parse(key, method, parameters, placeholders))
                .toList();
        String given = attributes.name();
        Optional<LockRequestFactory> factory = LockRequestFactory.of(attributes.locks());
        checkSingle(method, declared);
        boolean job = MergedAnnotations.from(declared).isPresent(ScheduledLock.class);
        checkNamed(method, factory.isPresent() || job, given);
        Class<?> owner = declared instanceof Class<?> locked ? locked : annotated.getDeclaringClass();
        String name = given.isEmpty() ? defaultName(method, owner) : resolvedName(method, given, placeholders);
        LockRequest request =
                factory.map(each -> each.requestFor(name)).orElseGet(() -> request(name, attributes, placeholders));
        InTransaction own = request.inTransaction();
        checkTransaction(method, shape, own);
        InTransaction inTransaction = own == InTransaction.AS_CONFIGURED ? configured : own;
        boolean leftToLocks = shape == MethodShape.REACTIVE;
        return new LockedMethod(
                method,
                declared,
                keys,
                checkedEmptyKeys(method, attributes),
                request.inTransaction(leftToLocks ? own : InTransaction.RELEASE),
                placeholders.resolve("locks", attributes.locks()),
                shape,
                Contention.of(method, type, shape, attributes),
                leftToLocks ? InTransaction.RELEASE : inTransaction);
    }

    /** The caller's transaction is bound to its thread, a reactive one to the subscriber's context. */
    private static void checkTransaction(Method method, MethodShape shape, InTransaction inTransaction) {
        boolean canBeRefused = shape != MethodShape.REACTIVE;
        if ((shape.endsLater() && inTransaction == InTransaction.RELEASE_AFTER)
                || (!canBeRefused && inTransaction == InTransaction.REFUSE)) {
            throw new LockStartException(
                    method,
                    "it has inTransaction = " + inTransaction
                            + ", and its work does not run on the thread of its caller, "
                            + "which has the transaction.",
                    "Lock the method that opens the transaction, and set inTransaction = InTransaction.WARN "
                            + (canBeRefused ? "or InTransaction.REFUSE here." : "here."));
        }
    }

    boolean isLockedByType() {
        return declared instanceof Class<?>;
    }

    /** Empty if the call has nothing to lock, and runs unlocked. */
    Optional<LockRequest> requestFor(@Nullable Object[] arguments) {
        if (keys.isEmpty()) {
            return Optional.of(request);
        }
        String prefix = request.name() + ":";
        List<String> all = keys.stream()
                .flatMap(key -> key.evaluate(arguments, emptyKeys).stream().map(prefix::concat))
                .toList();
        return all.isEmpty() ? Optional.empty() : Optional.of(request.withKeys(all));
    }

    /** Number of keys of a call, where a list counts as two. */
    int keyCount() {
        return keys.stream()
                .mapToInt(key -> key.isList(method.getParameterTypes()) ? 2 : 1)
                .sum();
    }

    private static EmptyKeys checkedEmptyKeys(Method method, DistributedLock attributes) {
        if (attributes.emptyKeys() != EmptyKeys.REFUSE && attributes.key().length == 0) {
            throw new LockStartException(
                    method,
                    "it has emptyKeys = " + attributes.emptyKeys() + " and no key, so that it locks its name.",
                    "Add the key that is a list, or remove emptyKeys.");
        }
        return attributes.emptyKeys();
    }

    private static LockRequest request(String name, DistributedLock attributes, Placeholders placeholders) {
        try {
            LockTerms terms = LockTerms.of(attributes, placeholders::duration);
            return new LockRequest(
                    name, List.of(name), Ownership.THREAD, attributes.inTransaction(), terms, Optional.empty());
        } catch (IllegalArgumentException e) {
            boolean namesTheFix = String.valueOf(e.getMessage()).contains(". ");
            throw namesTheFix
                    ? LockStartException.of(placeholders.method(), e)
                    : new LockStartException(
                            placeholders.method(),
                            e.getMessage() + ".",
                            "Correct leaseMs, maxWaitMs, minHoldMs, maxHoldMs or permits, or the text in its place "
                                    + "(not both), or leave it out to use the configured value.");
        }
    }

    /** Class and method names, which form the default name, may change while older instances run. */
    private static void checkNamed(Method method, boolean required, String given) {
        if (given.isBlank() && required) {
            throw new LockStartException(
                    method,
                    "it has no name.",
                    "Name the job, with letters, digits, '.', '_' and '-', such as @ScheduledLock(name = "
                            + "\"nightly-report\", minHoldMs = 30000) or @LeaderOnly(\"billing\").");
        }
    }

    /** Only one of two annotations on an element would take effect. */
    private static void checkSingle(Method method, AnnotatedElement declared) {
        List<String> found = MergedAnnotations.from(declared).stream(DistributedLock.class)
                .map(annotation -> "@" + annotation.getRoot().getType().getSimpleName())
                .toList();
        if (found.size() > 1) {
            throw new LockStartException(
                    method,
                    "it has " + String.join(" and ", found) + ", of which one would be ignored.",
                    "Remove one of them; for two locks, lock a method that calls this one.");
        }
    }

    private static String defaultName(Method method, Class<?> owner) {
        return OTHER_CHARACTERS
                .matcher(owner.getSimpleName() + "." + method.getName())
                .replaceAll("_");
    }

    private static String resolvedName(Method method, String given, Placeholders placeholders) {
        String name = placeholders.resolve("name", given);
        if (!NAME.matcher(name).matches()) {
            String origin = name.equals(given) ? "" : " (of '" + given + "')";
            throw new LockStartException(
                    method,
                    "the name '" + name + "'" + origin
                            + " has characters other than letters, digits, '.', '_' and '-'.",
                    "Rename it; put the parts that vary per call into the key.");
        }
        return name;
    }

    private static void checkInterceptable(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
            String kind = Modifier.isStatic(modifiers) ? "static" : "private";
            throw new LockStartException(
                    method,
                    "a proxy does not intercept the call of a " + kind + " method.",
                    "Annotate a non-" + kind + " method that other beans call, or use LockTemplate.");
        }
    }
}
