package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The annotation stands where it cannot take effect, or its attributes cannot be used. The application must not start.
 */
public final class InvalidLockDeclarationException extends RuntimeException {

    /** What to change. */
    private final String action;

    InvalidLockDeclarationException(Method method, String problem, String action) {
        super("@" + annotationOn(method) + " on " + describe(method) + " cannot take effect: " + problem);
        this.action = action;
    }

    /** With the message of a broken rule, whose last sentence, where it has several, says what to change. */
    static InvalidLockDeclarationException of(Method method, IllegalArgumentException broken) {
        String message = broken.getMessage() + ".";
        int end = message.lastIndexOf(". ") + 1;
        return end == 0
                ? new InvalidLockDeclarationException(method, message, "Change the annotation or the configuration.")
                : new InvalidLockDeclarationException(method, message.substring(0, end), message.substring(end + 1));
    }

    /**
     * What to change.
     *
     * @return one or two sentences
     */
    public String action() {
        return action;
    }

    /** The one that the author wrote: perhaps a composed one. */
    private static String annotationOn(Method method) {
        MergedAnnotation<DistributedLock> annotation =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(DistributedLock.class);
        Class<?> written = annotation.isPresent() ? annotation.getRoot().getType() : DistributedLock.class;
        return written.getSimpleName();
    }

    static String describe(Method method) {
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(ClassUtils::getShortName)
                .collect(Collectors.joining(", "));
        return ClassUtils.getShortName(method.getDeclaringClass()) + "." + method.getName() + "(" + parameters + ")";
    }
}
