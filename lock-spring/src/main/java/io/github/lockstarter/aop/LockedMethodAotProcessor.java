package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Native-image hints for locked methods, their annotations and fallbacks, and the properties that keys read. */
final class LockedMethodAotProcessor implements BeanRegistrationAotProcessor {

    private static final Logger log = LoggerFactory.getLogger(LockedMethodAotProcessor.class);
    private static final Pattern NO_NAME = Pattern.compile("\\P{javaJavaIdentifierPart}+");
    private static final Pattern GETTER = Pattern.compile("^(get|is)(?=\\p{Lu})");

    @Override
    public BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Collection<LockedMethod> locked = lockedMethodsOf(bean);
        return (generation, code) -> locked.forEach(
                method -> register(method, generation.getRuntimeHints().reflection()));
    }

    /** Skips a declaration whose placeholders are unknown at build time; startup checks it. */
    private static Collection<LockedMethod> lockedMethodsOf(RegisteredBean bean) {
        LockedMethods methods =
                new LockedMethods(bean.getBeanFactory()::resolveEmbeddedValue, () -> InTransaction.WARN);
        try {
            return methods.of(bean.getBeanClass());
        } catch (LockStartException e) {
            log.warn("Bean '{}' has no hints for a native image: {}", bean.getBeanName(), e.getMessage());
            return List.of();
        }
    }

    private static void register(LockedMethod locked, ReflectionHints hints) {
        register(locked.method(), hints);
        if (locked.declared() instanceof Method contract) {
            register(contract, hints);
        }
        if (locked.contention() instanceof Fallback fallback) {
            register(fallback.method(), hints);
        }
        if (!locked.keys().isEmpty()) {
            new BindingReflectionHintsRegistrar()
                    .registerReflectionHints(hints, locked.method().getGenericParameterTypes());
        }
        locked.keys().forEach(key -> registerRead(locked.method(), key, hints));
        MergedAnnotations.from(locked.declared()).stream(DistributedLock.class)
                .flatMap(LockedMethodAotProcessor::withSources)
                .forEach(each -> hints.registerType(each.getType(), MemberCategory.INVOKE_DECLARED_METHODS));
    }

    /** Adds members that the registrar skips: those of JDK classes, public fields, and methods other than getters. */
    private static void registerRead(Method method, KeyExpression key, ReflectionHints hints) {
        Set<String> names = NO_NAME.splitAsStream(key.text())
                .map(LockedMethodAotProcessor::property)
                .collect(Collectors.toSet());
        Set<Class<?>> seen = new HashSet<>();
        key.positions().forEach(position -> registerRead(method.getParameterTypes()[position], names, seen, hints));
    }

    private static void registerRead(Class<?> type, Set<String> names, Set<Class<?>> seen, ReflectionHints hints) {
        if (type.isPrimitive() || type.isArray() || !seen.add(type)) {
            return;
        }
        hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
        for (Method method : type.getMethods()) {
            if (names.contains(property(method.getName()))) {
                registerRead(method.getReturnType(), names, seen, hints);
            }
        }
        for (Field field : type.getFields()) {
            if (names.contains(property(field.getName()))) {
                hints.registerField(field);
                registerRead(field.getType(), names, seen, hints);
            }
        }
    }

    private static String property(String name) {
        return StringUtils.uncapitalize(GETTER.matcher(name).replaceFirst(""));
    }

    private static Stream<MergedAnnotation<?>> withSources(MergedAnnotation<?> annotation) {
        return Stream.iterate(annotation, Objects::nonNull, MergedAnnotation::getMetaSource);
    }

    private static void register(Method method, ReflectionHints hints) {
        Class<?> type = method.getDeclaringClass();
        hints.registerMethod(method, ExecutableMode.INVOKE);
        hints.registerMethod(ClassUtils.getInterfaceMethodIfPossible(method, type), ExecutableMode.INVOKE);
    }
}
