package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.util.ClassUtils;

/**
 * The annotation stands where it cannot take effect, or its attributes cannot be used. The application must not start.
 */
public final class InvalidLockDeclarationException extends RuntimeException {

    /** What to change. */
    private final String action;

    InvalidLockDeclarationException(Method method, String problem, String action) {
        super("@DistributedLock on " + describe(method) + " cannot take effect: " + problem);
        this.action = action;
    }

    /**
     * What to change.
     *
     * @return one or two sentences
     */
    public String action() {
        return action;
    }

    static String describe(Method method) {
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(ClassUtils::getShortName)
                .collect(Collectors.joining(", "));
        return ClassUtils.getShortName(method.getDeclaringClass()) + "." + method.getName() + "(" + parameters + ")";
    }
}
