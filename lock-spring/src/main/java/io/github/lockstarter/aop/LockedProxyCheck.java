package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Fails the creation of a bean whose proxy does not see the call of a locked method: a final one, or a package-private
 * one of another package, where the proxy is a subclass; one of no interface where the proxy is a JDK proxy; or whose
 * advices are in an order that releases the lock too early. Runs after the proxies are made, also those for a circular
 * reference. {@link LockedBeanCheck} uses it at the end of the start, for beans that are created before this one.
 */
public final class LockedProxyCheck implements SmartInstantiationAwareBeanPostProcessor {

    private final LockedMethods methods;

    /**
     * Creates the check.
     *
     * @param methods which methods are locked
     */
    public LockedProxyCheck(LockedMethods methods) {
        this.methods = methods;
    }

    /** The proxy of a bean in a circular reference, which no later callback gets; names the bean, unlike Spring. */
    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        try {
            check(bean);
        } catch (InvalidLockDeclarationException e) {
            throw new BeanCreationException(beanName, "is not locked", e);
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        check(bean);
        return bean;
    }

    /**
     * Looks at a bean as its users see it.
     *
     * @throws InvalidLockDeclarationException when its proxy does not lock a method that is to be locked
     */
    void check(Object bean) {
        if (AopUtils.isAopProxy(bean)) {
            for (LockedMethod locked : methods.of(AopUtils.getTargetClass(bean)).values()) {
                if (AopUtils.isCglibProxy(bean)) {
                    checkOverridable(locked.method(), bean.getClass());
                } else if (!locked.isLockedByType()) {
                    checkDeclaredByInterface(locked.method(), bean);
                }
                AdviceOrderCheck.check(locked, bean);
            }
        }
    }

    private static void checkOverridable(Method method, Class<?> proxy) {
        if (Modifier.isFinal(method.getModifiers())) {
            throw new InvalidLockDeclarationException(
                    method,
                    "the proxy is a subclass, which cannot override a final method.",
                    "Remove 'final' (in Kotlin: 'open', or the kotlin-spring plugin), or annotate single methods "
                            + "where the annotation stands on the class.");
        }
        Class<?> declaring = method.getDeclaringClass();
        boolean isPackagePrivate = (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0;
        boolean isSamePackage = proxy.getClassLoader() == declaring.getClassLoader()
                && proxy.getPackageName().equals(declaring.getPackageName());
        if (isPackagePrivate && !isSamePackage) {
            throw new InvalidLockDeclarationException(
                    method,
                    "it is package-private, and the proxy, which is in another package or class loader, cannot "
                            + "override it.",
                    "Make the method public or protected.");
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
