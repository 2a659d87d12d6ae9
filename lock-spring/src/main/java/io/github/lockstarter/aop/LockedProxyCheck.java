package io.github.lockstarter.aop;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;

/**
 * Refuses a bean whose advices are in the wrong order, when all post-processors have added theirs. Spring registers a
 * post-processor of merged definitions with the ordered ones, so that it sees what later ones need, and again at the
 * end.
 */
public final class LockedProxyCheck implements MergedBeanDefinitionPostProcessor, Ordered {

    private final SingletonBeanRegistry beans;
    private final LockedMethods methods;

    public LockedProxyCheck(SingletonBeanRegistry beans, LockedMethods methods) {
        this.beans = beans;
        this.methods = methods;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {}

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        for (LockedMethod method : methods.of(AopUtils.getTargetClass(bean))) {
            Object exposed = LockedBeanCheck.exposed(bean, beanName, beans);
            AdviceOrderCheck.check(method, exposed);
        }
        return bean;
    }
}
