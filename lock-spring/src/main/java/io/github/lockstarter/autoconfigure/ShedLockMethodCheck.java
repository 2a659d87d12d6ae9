package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DurationText;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Fails the start for a method of ShedLock whose {@code lockAtLeastFor} is above the longest lease: the provider would
 * refuse each of its runs. The annotations are known by name, since an application may have ShedLock's core alone.
 */
final class ShedLockMethodCheck implements SmartInitializingSingleton {

    private static final String METHOD = "net.javacrumbs.shedlock.spring.annotation.SchedulerLock";
    private static final String DEFAULTS = "net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock";

    private final ConfigurableListableBeanFactory beans;
    private final Duration maxLease;

    ShedLockMethodCheck(ConfigurableListableBeanFactory beans, Duration maxLease) {
        this.beans = beans;
        this.maxLease = maxLease;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null && AnnotationUtils.isCandidateClass(type, METHOD)) {
                check(ClassUtils.getUserClass(type));
            }
        }
    }

    private void check(Class<?> type) {
        check(type.getName(), "defaultLockAtLeastFor", attributes(type, DEFAULTS));
        Map<Method, AnnotationAttributes> methods = MethodIntrospector.selectMethods(
                type, (MetadataLookup<AnnotationAttributes>) method -> attributes(method, METHOD));
        methods.forEach((method, lock) -> check(type.getName() + '.' + method.getName(), "lockAtLeastFor", lock));
    }

    private static @Nullable AnnotationAttributes attributes(AnnotatedElement element, String annotation) {
        return AnnotatedElementUtils.getMergedAnnotationAttributes(element, annotation);
    }

    private void check(String subject, String attribute, @Nullable AnnotationAttributes annotation) {
        Duration atLeast = annotation == null ? Duration.ZERO : duration(annotation.getString(attribute));
        if (atLeast.compareTo(maxLease) > 0) {
            throw new InvalidLockConfigurationException(
                    subject + " has " + attribute + " = " + DurationText.exactly(atLeast)
                            + ", above distributed-lock.max-lease (" + DurationText.exactly(maxLease)
                            + "), so each run would fail",
                    "Set distributed-lock.max-lease=" + DurationText.exactly(atLeast)
                            + " in all applications that share locks, or lower " + attribute);
        }
    }

    /** Zero for none, and for a text that ShedLock refuses or reads in its own way. */
    private Duration duration(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        try {
            return resolved == null || resolved.isBlank() ? Duration.ZERO : DurationStyle.detectAndParse(resolved);
        } catch (IllegalArgumentException e) {
            return Duration.ZERO;
        }
    }
}
