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
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Fails startup if an annotation cannot take effect: its attributes are invalid, the proxy cannot intercept the method,
 * or the order of advices releases the lock too early. Checks each proxy at its creation, and each locked singleton at
 * the end, because some beans are older than this check or got their proxy by a circular reference. Ignores ready-made
 * instances, such as mocks.
 *
 * <p>Threads that create beans add to {@code lockedBeans}; {@code earlySingletons} is filled once.
 */
public final class LockedBeanCheck
        implements BeanDefinitionRegistryPostProcessor,
                SmartInstantiationAwareBeanPostProcessor,
                SmartInitializingSingleton {

    public interface Settings {

        /**
         * Checks a request against the configuration.
         *
         * @throws IllegalArgumentException if the configuration forbids it
         */
        void check(Method method, LockRequest request, String locks);
    }

    private final ConfigurableListableBeanFactory beans;
    private final LockedMethods methods;
    private final Settings settings;
    private final Set<String> lockedBeans = ConcurrentHashMap.newKeySet();
    private final Set<String> earlySingletons = ConcurrentHashMap.newKeySet();

    public LockedBeanCheck(ConfigurableListableBeanFactory beans, LockedMethods methods, Settings settings) {
        this.beans = beans;
        this.methods = methods;
        this.settings = settings;
    }

    /** Empty: as a registry post-processor, this bean runs before other post-processors. */
    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {}

    /**
     * Observes later beans by a separate object: Spring would count this one twice and warn of beans that are created
     * too early.
     */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        Arrays.stream(beanFactory.getSingletonNames())
                .filter(beanFactory::containsBeanDefinition)
                .forEach(earlySingletons::add);
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
                lockedBeans.add(beanName);
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
                method.isLeaderOnly()
                        ? "There is no leader election. Mark one of several LockOperations beans as @Primary, and do "
                                + "not exclude LeaderAutoConfiguration."
                        : "Use one of them, or leave it out. distributed-lock.further-backends=zookeeper gives the "
                                + "bean zookeeperLocks.");
    }

    /** No later callback receives the proxy of a lazy bean in a circular reference. */
    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        try {
            checkProxy(bean);
        } catch (LockStartException e) {
            throw new BeanCreationException(beanName, "is not locked", e); // names the bean, unlike Spring
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        checkProxy(bean);
        return bean;
    }

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
        earlySingletons.stream().filter(this::mayBeLocked).forEach(lockedBeans::add);
        new TreeSet<>(lockedBeans).stream().filter(beans::isSingleton).forEach(this::checkLocked);
    }

    /** By the declared type: getting the product of a lazy factory would create it. */
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

    /** Looks through nested proxies. The proxy of another bean is checked with that bean. */
    private static boolean isLocked(@Nullable Object bean) {
        if (!(bean instanceof Advised proxy)) {
            return false;
        }
        return Arrays.stream(proxy.getAdvisors()).anyMatch(LockAdvisor.class::isInstance)
                || proxy.getTargetSource() instanceof AbstractBeanFactoryBasedTargetSource
                || (proxy.getTargetSource() instanceof SingletonTargetSource inner && isLocked(inner.getTarget()));
    }
}
