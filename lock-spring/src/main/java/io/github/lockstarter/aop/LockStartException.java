package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DurationText;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The application must not start: a property is wrong, an annotation stands where it cannot take effect, its attributes
 * cannot be used, or the store cannot keep locks.
 */
public final class LockStartException extends RuntimeException {

    /** A property and its value, as {@link DurationText} writes one. */
    private static final Pattern DURATION = Pattern.compile("\\S+ is -?[0-9.]+(ms|s|d)\\b");

    /** What to change. */
    private final String action;

    /**
     * About the configuration or the store.
     *
     * @param message what is wrong
     * @param action what to change, in one or two sentences
     */
    public LockStartException(String message, String action) {
        this(message, action, null);
    }

    /**
     * About the store.
     *
     * @param message what is wrong
     * @param action what to change, in one or two sentences
     * @param cause why the store cannot keep locks
     */
    public LockStartException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    LockStartException(Method method, String problem, String action) {
        this("@" + annotationOn(method) + " on " + describe(method) + " cannot take effect: " + problem, action);
    }

    /**
     * With the message of a broken rule, which begins with a property. Its last sentence, where it has several, says
     * what to change.
     *
     * @param broken has the message
     * @return the exception
     */
    public static LockStartException of(IllegalArgumentException broken) {
        String message = String.valueOf(broken.getMessage());
        int end = message.lastIndexOf(". ");
        String cure = end < 0
                ? "Correct " + message.split(" ", 2)[0] + ", or leave it out for its default"
                : message.substring(end + 2);
        String unit = DURATION.matcher(message).lookingAt() ? " A duration without a unit is in milliseconds." : "";
        return new LockStartException((end < 0 ? message : message.substring(0, end)) + ".", cure + "." + unit, broken);
    }

    /** With the message of a rule that an annotation breaks. */
    static LockStartException of(Method method, IllegalArgumentException broken) {
        String message = broken.getMessage() + ".";
        int end = message.lastIndexOf(". ") + 1;
        return end == 0
                ? new LockStartException(method, message, "Change the annotation or the configuration.")
                : new LockStartException(method, message.substring(0, end), message.substring(end + 1));
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
