package io.github.lockstarter.aop;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.aop.target.AbstractBeanFactoryBasedTargetSource;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Conventions;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Refuses a bean whose annotation cannot take effect when the bean is created: its attributes are invalid, nothing has
 * put the lock around it, or the proxy cannot intercept the method. It sees each bean directly behind the creator of
 * proxies, and refuses locked beans that are created before that one is in place. Ignores ready-made instances, such as
 * mocks.
 */
public final class LockedBeanCheck
        implements BeanDefinitionRegistryPostProcessor,
                BeanPostProcessor,
                SmartInitializingSingleton,
                ApplicationListener<ContextRefreshedEvent>,
                Ordered {

    public interface Settings {

        /**
         * Checks a request against the configuration.
         *
         * @param request with the name as its only key
         * @param keys number of keys of each call; a list counts as two
         * @throws IllegalArgumentException if the configuration forbids it
         */
        void check(Method method, LockRequest request, int keys, String locks);
    }

    /** Set by {@code @Proxyable} of Spring 7. */
    private static final String EXPOSED_INTERFACES =
            Conventions.getQualifiedAttributeName(AutoProxyUtils.class, "exposedInterfaces");

    private final DefaultListableBeanFactory beans;
    private final LockedMethods methods;
    private final Settings settings;

    /** Filled once, with the singletons that are older than this check. */
    private final Set<String> earlySingletons = new HashSet<>();

    public LockedBeanCheck(DefaultListableBeanFactory beans, LockedMethods methods, Settings settings) {
        this.beans = beans;
        this.methods = methods;
        this.settings = settings;
    }

    /** Behind the creator of proxies, and before post-processors that hide its proxies behind other objects. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE + 1;
    }

    /**
     * Observes earlier beans by a separate object: Spring would count this one twice and warn of beans that are created
     * too early.
     */
    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        Arrays.stream(beans.getSingletonNames())
                .filter(beans::containsBeanDefinition)
                .forEach(earlySingletons::add);
        beans.addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                if (!beans.getBeanPostProcessors().contains(LockedBeanCheck.this)) {
                    check(bean, beanName);
                }
                return bean;
            }
        });
    }

    /** Spring fails to make the subclass without a word of the annotation. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        Class<?> type = bean.getClass();
        boolean finalClass = Modifier.isFinal(type.getModifiers());
        if (finalClass && !Proxy.isProxyClass(type) && !ClassUtils.isLambdaClass(type)) {
            Optional<LockedMethod> any = methods.of(type).stream().findFirst();
            any.filter(locked -> isProxiedByClass(type, beanName)).ifPresent(locked -> {
                checkSettings(locked);
                throw new LockStartException(
                        locked.method(),
                        "the proxy is a subclass, and " + ClassUtils.getShortName(type) + " is a "
                                + (type.isRecord() ? "record" : "final class") + ".",
                        "Make it a class that is not final (in Kotlin: 'open', or the kotlin-spring plugin), or "
                                + "declare the method in an interface and set spring.aop.proxy-target-class=false.");
            });
        }
        return bean;
    }

    private boolean isProxiedByClass(Class<?> type, String beanName) {
        return ClassUtils.getAllInterfacesForClass(type).length == 0
                || AutoProxyUtils.shouldProxyTargetClass(beans, beanName)
                || (!(beans.containsBeanDefinition(beanName)
                                && beans.getMergedBeanDefinition(beanName).hasAttribute(EXPOSED_INTERFACES))
                        && beans.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
                        && beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
                                .isProxyTargetClass());
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        check(bean, beanName);
        return bean;
    }

    private void check(Object bean, String beanName) {
        Class<?> target = AopUtils.getTargetClass(bean);
        Stream.of(isLocked(bean) ? target : bean.getClass(), target)
                .distinct()
                .flatMap(type -> methods.of(type).stream())
                .forEach(method -> {
                    checkSettings(method);
                    checkLocks(method);
                    checkProxy(method, exposed(bean, beanName, beans));
                });
    }

    private void checkProxy(LockedMethod method, Object bean) {
        if (!isLocked(bean)) {
            throw new LockStartException(
                    method.method(),
                    "the bean was created before the lock could be put around it, or is of a kind that is never "
                            + "proxied (a bean post-processor, an advice).",
                    "Move the method to a bean of its own, or use LockTemplate.");
        }
        if (AopUtils.isCglibProxy(bean)) {
            checkOverridable(method, bean.getClass());
        } else if (!method.isLockedByType()) {
            checkDeclaredByInterface(method.method(), bean);
        }
    }

    private void checkSettings(LockedMethod method) {
        try {
            settings.check(method.method(), method.request(), method.keyCount(), method.locks());
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
                LockRequestFactory.of(locks)
                        .map(LockRequestFactory::actionWithoutLocks)
                        .orElse("Use one of them, or leave it out. distributed-lock.further-backends=zookeeper gives "
                                + "the bean zookeeperLocks."));
    }

    private static void checkOverridable(LockedMethod locked, Class<?> proxy) {
        Method method = locked.method();
        if (locked.isLockedByType() && !Modifier.isPublic(method.getModifiers())) {
            return; // called by its own class, as a rule
        }
        if (Modifier.isFinal(method.getModifiers())) {
            throw new LockStartException(
                    method,
                    "the proxy is a subclass, which cannot override a final method.",
                    "Remove 'final' (in Kotlin: 'open', or the kotlin-spring plugin), or annotate single methods "
                            + "where the annotation stands on the class.");
        }
        Class<?> declaring = method.getDeclaringClass();
        boolean packagePrivate = (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0;
        boolean samePackage = proxy.getClassLoader() == declaring.getClassLoader()
                && proxy.getPackageName().equals(declaring.getPackageName());
        if (packagePrivate && !samePackage) {
            throw new LockStartException(
                    method,
                    "it is package-private, and the proxy, which is in another package or class loader, cannot "
                            + "override it.",
                    "Make the method public or protected.");
        }
    }

    private void checkDeclaredByInterface(Method method, Object proxy) {
        Class<?> target = AopUtils.getTargetClass(proxy);
        boolean declared = Arrays.stream(ClassUtils.getAllInterfaces(proxy))
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .flatMap(called -> methods.find(called, target).stream())
                .anyMatch(locked -> locked.method().equals(method));
        if (!declared) {
            throw new LockStartException(
                    method,
                    "the bean is behind a JDK proxy, and its interfaces do not declare the method.",
                    "Declare it in an interface, or set spring.aop.proxy-target-class=true.");
        }
    }

    /** The product of a factory that is older than this check may have been made before it, too. */
    @Override
    public void afterSingletonsInstantiated() {
        earlySingletons.stream().filter(this::mayBeLocked).sorted().forEach(name -> {
            try {
                check(beans.getBean(name), name);
            } catch (LockStartException e) {
                throw new BeanCreationException(name, "is not locked", e);
            }
        });
    }

    /** By the declared type: getting the product of a lazy factory would create it. */
    private boolean mayBeLocked(String beanName) {
        Class<?> type = beans.getType(beanName, false);
        return type != null && !methods.of(type).isEmpty();
    }

    /** A child context without the auto-configuration has neither the lock's proxies nor this check. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        ApplicationContext context = event.getApplicationContext();
        if (context.getBeanNamesForType(LockedBeanCheck.class, true, false).length > 0) {
            return;
        }
        for (String name : context.getBeanDefinitionNames()) {
            Class<?> type = context.getType(name, false);
            if (type != null) {
                methods.of(type).stream().findFirst().ifPresent(method -> {
                    throw new BeanCreationException(
                            name,
                            "is not locked",
                            new LockStartException(
                                    method.method(),
                                    "the child context of the bean does not have DistributedLockAutoConfiguration.",
                                    "Enable the auto-configuration there, or move the bean to the parent context."));
                });
            }
        }
    }

    /** After a circular reference has got the proxy of a bean, post-processors get the bean itself. */
    static Object exposed(Object bean, String beanName, SingletonBeanRegistry beans) {
        Object early = bean instanceof Advised ? null : beans.getSingleton(beanName);
        return early == null ? bean : early;
    }

    /** Looks through nested proxies. The proxy of another bean is checked with that bean. */
    private static boolean isLocked(@Nullable Object bean) {
        return bean instanceof Advised proxy
                && (Arrays.stream(proxy.getAdvisors()).anyMatch(LockedBeanCheck::locks)
                        || proxy.getTargetSource() instanceof AbstractBeanFactoryBasedTargetSource
                        || (proxy.getTargetSource() instanceof SingletonTargetSource inner
                                && isLocked(inner.getTarget())));
    }

    /** Not asked of other advisors, whose advice may be a bean that is created by that. */
    private static boolean locks(Advisor advisor) {
        return advisor instanceof StaticMethodMatcherPointcutAdvisor own && own.getAdvice() instanceof LockAdvice;
    }
}
