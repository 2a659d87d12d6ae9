package io.github.lockstarter.aop;

import java.lang.reflect.Method;

/** When the work of a method ends, which decides how its calls are locked. Known at the start. */
enum MethodShape {
    /** The work ends when the method returns. */
    BLOCKING;

    /**
     * The shape of a method.
     *
     * @throws InvalidLockDeclarationException when its work ends later, in a way that cannot be locked
     */
    static MethodShape of(Method method) {
        AsynchronousReturn.check(method);
        return BLOCKING;
    }
}
