package io.github.lockstarter.aop;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.target.AbstractBeanFactoryBasedTargetSource;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Fails the start of an application with an annotation that cannot take effect, in three looks: at the methods of each
 * bean, and of what a factory bean makes; at each proxy, when its bean is created; and at the end of the start at each
 * locked singleton, which may have its proxy since a circular reference, and at what was created before this check.
 * Instances that are registered ready-made, such as mocks, are not looked at.
 *
 * <p>Refuses a bean whose proxy does not see the call of a locked method: a final one, or a package-private one of
 * another package, where the proxy is a subclass; one of no interface where the proxy is a JDK proxy; or whose advices
 * are in an order that releases the lock too early.
 *
 * <p>The mutable fields are the locked singletons seen so far, written by whichever thread creates a bean, and the
 * singletons that were created before, written once.
 */
public final class LockedBeanCheck
        implements BeanDefinitionRegistryPostProcessor, BeanPostProcessor, SmartInitializingSingleton {

    /** The settings of all locks. */
    public interface Settings {

        /**
         * Checks a locked method.
         *
         * @param method the method
         * @param request its request
         * @param locks name of the bean that keeps the lock; blank for the one that is injected by type
         * @throws IllegalArgumentException when the configuration does not allow it
         */
        void check(Method method, LockRequest request, String locks);
    }

    private final ConfigurableListableBeanFactory beans;
    private final LockedMethods methods;
    private final Settings settings;
    private final Set<String> locked = ConcurrentHashMap.newKeySet();
    private final Set<String> earlier = ConcurrentHashMap.newKeySet();

    /**
     * Creates the check.
     *
     * @param beans where the locked beans are
     * @param methods which methods are locked
     * @param settings checks each locked method
     */
    public LockedBeanCheck(ConfigurableListableBeanFactory beans, LockedMethods methods, Settings settings) {
        this.beans = beans;
        this.methods = methods;
        this.settings = settings;
    }

    /** It is such a post-processor to be called before the other ones of the factory take beans. */
    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {}

    /**
     * Suspects what is there already, and sees beans from now on: also those that other post-processors need, which are
     * created before any is in place. What it adds is not this object: Spring would count it twice, and warn that beans
     * are created too early.
     */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        Arrays.stream(beanFactory.getSingletonNames())
                .filter(beanFactory::containsBeanDefinition)
                .forEach(earlier::add);
        beanFactory.addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                Stream.of(bean.getClass(), AopUtils.getTargetClass(bean))
                        .distinct()
                        .forEach(type -> check(type, beanName));
                return bean;
            }
        });
    }

    private void check(Class<?> type, String beanName) {
        for (LockedMethod method : methods.of(type).values()) {
            checkSettings(method);
            checkLocks(method);
            if (beans.containsBeanDefinition(beanName)) {
                locked.add(beanName);
            }
        }
    }

    private void checkSettings(LockedMethod method) {
        try {
            settings.check(method.method(), method.request(), method.locks());
        } catch (IllegalArgumentException e) {
            throw LockStartException.of(method.method(), e);
        }
    }

    private void checkLocks(LockedMethod method) {
        String locks = method.locks();
        if (locks.isBlank() || (beans.containsBean(locks) && beans.isTypeMatch(locks, LockOperations.class))) {
            return;
        }
        String known = Arrays.toString(
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockOperations.class, true, false));
        throw new LockStartException(
                method.method(),
                "locks is \"" + locks + "\", and no LockOperations bean has this name; there are " + known + '.',
                method.isLeaders()
                        ? "There is no leader election. Mark one of several LockOperations beans as @Primary, and do "
                                + "not exclude LeaderAutoConfiguration."
                        : "Use one of them, or leave it out. distributed-lock.further-backends=zookeeper gives the "
                                + "bean zookeeperLocks.");
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        checkProxy(bean);
        return bean;
    }

    /** Looks at a bean as its users see it. */
    private void checkProxy(Object bean) {
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
            throw new LockStartException(
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
            throw new LockStartException(
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
            throw new LockStartException(
                    method,
                    "the bean is behind a JDK proxy, and its interfaces do not declare the method.",
                    "Declare it in an interface, or set spring.aop.proxy-target-class=true.");
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        earlier.stream().filter(this::mayBeLocked).forEach(locked::add);
        new TreeSet<>(locked).stream().filter(beans::isSingleton).forEach(this::checkLocked);
    }

    /** By the declared type: the product of a factory may be lazy, and the look at it would make it. */
    private boolean mayBeLocked(String beanName) {
        Class<?> type = beans.getType(beanName, false);
        return type != null && !methods.of(type).isEmpty();
    }

    private void checkLocked(String beanName) {
        Object bean = beans.getBean(beanName);
        try {
            if (isLocked(bean)) {
                checkProxy(bean);
            } else {
                refuseUnlocked(AopUtils.getTargetClass(bean));
            }
        } catch (LockStartException e) {
            throw new BeanCreationException(beanName, "is not locked", e);
        }
    }

    private void refuseUnlocked(Class<?> type) {
        methods.of(type).values().stream().findFirst().ifPresent(method -> {
            throw new LockStartException(
                    method.method(),
                    "the bean was created before the lock could be put around it, or is of a kind that is never "
                            + "proxied (a bean post-processor, an advice).",
                    "Move the method to a bean of its own, or use LockTemplate.");
        });
    }

    /**
     * Looks through the proxies that others have put around the locked one. A proxy of another bean leaves it to that
     * one.
     */
    private static boolean isLocked(@Nullable Object bean) {
        if (!(bean instanceof Advised proxy)) {
            return false;
        }
        return Arrays.stream(proxy.getAdvisors()).anyMatch(LockAdvisor.class::isInstance)
                || proxy.getTargetSource() instanceof AbstractBeanFactoryBasedTargetSource
                || (proxy.getTargetSource() instanceof SingletonTargetSource inner && isLocked(inner.getTarget()));
    }
}
