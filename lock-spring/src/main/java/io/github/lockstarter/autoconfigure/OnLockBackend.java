package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.engine.LockEngine;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

final class OnLockBackend implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return hasOwnLocks(context.getBeanFactory())
                && LockConditions.backendsInUse(context.getEnvironment())
                        .contains(metadata.getAnnotations()
                                .get(ConditionalOnLockBackend.class)
                                .getString(MergedAnnotation.VALUE));
    }

    /** Whether no parent context has an engine. Parents are complete before their children start. */
    private static boolean hasOwnLocks(@Nullable BeanFactory beans) {
        return !(beans instanceof HierarchicalBeanFactory child
                        && child.getParentBeanFactory() instanceof ListableBeanFactory parent)
                || BeanFactoryUtils.beanNamesForTypeIncludingAncestors(parent, LockEngine.class, true, false).length
                        == 0;
    }
}
