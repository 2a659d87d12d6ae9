package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Fails the creation of a bean whose proxy does not see the call of a locked method: a final one where the proxy is a
 * subclass, one of no interface where the proxy is a JDK proxy; or whose advices are in an order that releases the lock
 * too early. Runs after the proxies are made.
 */
public final class LockedProxyCheck implements BeanPostProcessor {

    private final LockedMethods methods;

    /**
     * Creates the check.
     *
     * @param methods which methods are locked
     */
    public LockedProxyCheck(LockedMethods methods) {
        this.methods = methods;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (AopUtils.isAopProxy(bean)) {
            for (LockedMethod locked : methods.of(AopUtils.getTargetClass(bean)).values()) {
                if (AopUtils.isCglibProxy(bean)) {
                    checkOverridable(locked.method());
                } else if (!locked.isLockedByType()) {
                    checkDeclaredByInterface(locked.method(), bean);
                }
                AdviceOrderCheck.check(locked, bean);
            }
        }
        return bean;
    }

    private static void checkOverridable(Method method) {
        if (Modifier.isFinal(method.getModifiers())) {
            throw new InvalidLockDeclarationException(
                    method,
                    "the proxy is a subclass, which cannot override a final method.",
                    "Remove 'final' (in Kotlin: 'open', or the kotlin-spring plugin), or annotate single methods "
                            + "where the annotation stands on the class.");
        }
    }

    private static void checkDeclaredByInterface(Method method, Object proxy) {
        Class<?> target = AopUtils.getTargetClass(proxy);
        boolean declared = Arrays.stream(ClassUtils.getAllInterfaces(proxy))
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .anyMatch(candidate ->
                        AopUtils.getMostSpecificMethod(candidate, target).equals(method) || candidate.equals(method));
        if (!declared) {
            throw new InvalidLockDeclarationException(
                    method,
                    "the bean is behind a JDK proxy, and its interfaces do not declare the method.",
                    "Declare it in an interface, or set spring.aop.proxy-target-class=true.");
        }
    }
}
