package io.github.lockstarter.aop.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * A call is locked if {@code @Transactional}, in the place of the lock's annotation, intercepts it: for generated
 * classes, both kinds of proxies, some kinds of beans (with {@code -Pfull} each kind), through each type that the bean
 * has.
 */
public abstract class LockedCallSuite {

    private static final String PROXY_TARGET_CLASS = "spring.aop.proxy-target-class";

    @TempDir
    static Path classes;

    private static List<BeanSource> sources = List.of();
    private static ClassLoader loader = LockedCallSuite.class.getClassLoader();

    private enum Kind {
        /** Of each bean that is not refused as a lazy one, with {@code -Pfull}. */
        SINGLETON,
        LAZY,
        /** A factory that makes a proxy of the interfaces, as for repositories. */
        PROXY_FACTORY,
        PROTOTYPE,
        SCOPED,
        /** A factory that makes an object. */
        FACTORY
    }

    private record BeanOf(BeanSource source, Kind kind) {

        String name() {
            return kind + "-" + source.name();
        }
    }

    private record Cell(BeanOf bean, String calledThrough, BodyObservation observed) {

        @Override
        public String toString() {
            return "\n%s called through %s, transactional: %s, locked: %s, %s"
                    .formatted(
                            bean.kind(), calledThrough, observed.isTransactional(), observed.isLocked(), bean.source());
        }
    }

    /** The calls of the beans that can be created. */
    private record Calls(List<Cell> cells, Set<BeanOf> refused) {

        static Calls of(List<BeanOf> beans, ApplicationContextRunner application) {
            Calls calls = new Calls(new ArrayList<>(), new HashSet<>());
            application.run(context -> {
                assertThat(context).hasNotFailed();
                DefaultListableBeanFactory factory = (DefaultListableBeanFactory) context.getBeanFactory();
                calls.addAll(beans, factory);
                List<BeanOf> eager = beans.stream()
                        .filter(bean -> BeanSource.IS_FULL && bean.kind() == Kind.LAZY && !calls.refused.contains(bean))
                        .map(lazy -> new BeanOf(lazy.source(), Kind.SINGLETON))
                        .toList();
                calls.addAll(eager, factory);
            });
            return calls;
        }

        private void addAll(List<BeanOf> beans, DefaultListableBeanFactory factory) {
            beans.forEach(bean -> declare(bean, factory));
            factory.preInstantiateSingletons();
            beans.forEach(bean -> add(bean, factory));
        }

        private void add(BeanOf bean, BeanFactory context) {
            Object proxy;
            try {
                proxy = context.getBean(bean.name());
            } catch (BeanCreationException e) {
                refused.add(bean);
                return;
            }
            bean.source().call(proxy, loader).forEach((type, seen) -> cells.add(new Cell(bean, type, seen)));
        }

        List<Cell> unlocked() {
            return cells.stream()
                    .filter(cell -> cell.observed().isTransactional()
                            && !cell.observed().isLocked())
                    .toList();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {

        @Bean
        PlatformTransactionManager transactionManager() {
            return new AbstractPlatformTransactionManager() {
                @Override
                protected Object doGetTransaction() {
                    return new Object();
                }

                @Override
                protected void doBegin(Object transaction, TransactionDefinition definition) {}

                @Override
                protected void doCommit(DefaultTransactionStatus status) {}

                @Override
                protected void doRollback(DefaultTransactionStatus status) {}
            };
        }
    }

    @BeforeAll
    static void compile() throws IOException {
        sources = BeanSource.all();
        loader = BeanSource.compile(sources, classes);
    }

    private static List<Kind> kinds(boolean proxyTargetClass) {
        if (BeanSource.IS_FULL) {
            return List.of(Kind.LAZY, Kind.PROXY_FACTORY, Kind.PROTOTYPE, Kind.SCOPED, Kind.FACTORY);
        }
        return proxyTargetClass ? List.of(Kind.LAZY) : List.of(Kind.LAZY, Kind.PROXY_FACTORY);
    }

    private static List<BeanOf> beans(List<Kind> kinds) {
        return kinds.stream()
                .flatMap(kind -> sources.stream().map(source -> new BeanOf(source, kind)))
                .toList();
    }

    private static ApplicationContextRunner withoutLocks(boolean proxyTargetClass) {
        return new ApplicationContextRunner()
                .withClassLoader(loader)
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withUserConfiguration(Transactions.class)
                .withPropertyValues(PROXY_TARGET_CLASS + "=" + proxyTargetClass, "distributed-lock.backend=local");
    }

    private static ApplicationContextRunner withLocks(boolean proxyTargetClass) {
        return withoutLocks(proxyTargetClass)
                .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));
    }

    private static void declare(BeanOf bean, DefaultListableBeanFactory context) {
        Class<?> type = bean.source().beanClass(loader);
        RootBeanDefinition definition = new RootBeanDefinition(type);
        definition.setLazyInit(bean.kind() != Kind.SINGLETON);
        BeanDefinitionHolder holder = new BeanDefinitionHolder(definition, bean.name());
        switch (bean.kind()) {
            case SINGLETON, LAZY -> {}
            case PROTOTYPE -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
            case SCOPED -> {
                context.registerScope("thread", new SimpleThreadScope());
                definition.setScope("thread");
                holder = ScopedProxyUtils.createScopedProxy(holder, context, true);
            }
            case FACTORY, PROXY_FACTORY -> {
                definition.setBeanClass(Factory.class);
                definition.setInstanceSupplier(() -> new Factory(type, bean.kind() == Kind.PROXY_FACTORY));
            }
        }
        context.registerBeanDefinition(holder.getBeanName(), holder.getBeanDefinition());
    }

    record Factory(Class<?> type, boolean isProxied) implements FactoryBean<Object> {

        @Override
        public Object getObject() {
            Object made = BeanUtils.instantiateClass(type);
            return isProxied ? new ProxyFactory(made).getProxy(type.getClassLoader()) : made;
        }

        @Override
        public Class<?> getObjectType() {
            return Object.class;
        }
    }

    /** The start is refused for calls that no proxy can intercept. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void locksEachTransactionalCall(boolean proxyTargetClass) {
        Calls calls = Calls.of(beans(kinds(proxyTargetClass)), withLocks(proxyTargetClass));
        Calls unlocked = Calls.of(List.copyOf(calls.refused()), withoutLocks(proxyTargetClass));

        System.out.printf(
                "%d calls of %d classes, and %d of %d refused beans%n",
                calls.cells().size(),
                sources.size(),
                unlocked.cells().size(),
                calls.refused().size());
        assertThat(calls.unlocked()).isEmpty();
        assertThat(unlocked.unlocked()).isEmpty();
        assertThat(unlocked.refused()).isEmpty();
        // The annotation of a class is also that of the methods which the class inherits.
        assertThat(calls.cells().stream()
                        .filter(cell ->
                                cell.observed().isLocked() && !cell.observed().isTransactional())
                        .filter(cell -> !cell.bean().source().inheritsTheMethod()))
                .isEmpty();
    }

    /** Finds methods under one key and looks them up under another. */
    @SuppressWarnings("serial")
    private static final class MapOfMethods extends StaticMethodMatcherPointcutAdvisor {

        MapOfMethods(LockOperations locks) {
            super((MethodInterceptor) invocation -> locks.<Object, Throwable>execute("cell:x", invocation::proceed));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            Map<Method, DistributedLock> annotated =
                    MethodIntrospector.selectMethods(targetClass, (Method each) -> annotation(each, targetClass));
            return annotated.containsKey(AopUtils.getMostSpecificMethod(method, targetClass));
        }

        private static @Nullable DistributedLock annotation(Method method, Class<?> type) {
            DistributedLock own = AnnotatedElementUtils.findMergedAnnotation(method, DistributedLock.class);
            return own == null ? AnnotatedElementUtils.findMergedAnnotation(type, DistributedLock.class) : own;
        }
    }

    @Test
    void theSuiteFindsCallsThatAMapOfMethodsMisses() {
        Set<Hierarchy> missed = Set.of(
                Hierarchy.INHERITED_FROM_HIDDEN_CLASS, Hierarchy.NARROWED_INTERFACE, Hierarchy.JOINED_INTERFACES);
        List<BeanOf> beans = beans(List.of(Kind.LAZY, Kind.PROXY_FACTORY)).stream()
                .filter(bean -> missed.contains(bean.source().hierarchy()))
                .toList();
        withLocks(false).run(locks -> {
            MapOfMethods map = new MapOfMethods(locks.getBean(LockOperations.class));
            Calls calls = Calls.of(beans, withoutLocks(false).withBean(MapOfMethods.class, () -> map));
            assertThat(calls.unlocked())
                    .extracting(cell -> cell.bean().source().hierarchy())
                    .containsAll(missed);
        });
    }
}
