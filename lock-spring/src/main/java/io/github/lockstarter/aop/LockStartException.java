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

/** An invalid property, an annotation without effect, or an unusable store, with the fix. */
public final class LockStartException extends RuntimeException {

    /** A property and its value, as {@link DurationText} formats it. */
    private static final Pattern DURATION = Pattern.compile("\\S+ is -?[0-9.]+(ms|s|d)\\b");

    private final String action;

    public LockStartException(String message, String action) {
        this(message, action, null);
    }

    public LockStartException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    LockStartException(Method method, String problem, String action) {
        this("@" + annotationOn(method) + " on " + describe(method) + " cannot take effect: " + problem, action);
    }

    /** The message begins with a property. The last of several sentences is the action. */
    public static LockStartException of(IllegalArgumentException broken) {
        String message = String.valueOf(broken.getMessage());
        int end = message.lastIndexOf(". ");
        String cure = end < 0
                ? "Correct " + message.split(" ", 2)[0] + ", or leave it out for its default"
                : message.substring(end + 2);
        String unit = DURATION.matcher(message).lookingAt() ? " A duration without a unit is in milliseconds." : "";
        return new LockStartException((end < 0 ? message : message.substring(0, end)) + ".", cure + "." + unit, broken);
    }

    static LockStartException of(Method method, IllegalArgumentException broken) {
        String message = broken.getMessage() + ".";
        int end = message.lastIndexOf(". ") + 1;
        return end == 0
                ? new LockStartException(method, message, "Change the annotation or the configuration.")
                : new LockStartException(method, message.substring(0, end), message.substring(end + 1));
    }

    public String action() {
        return action;
    }

    /** The annotation in the source may be a composed one. */
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
