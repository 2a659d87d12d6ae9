package io.github.lockstarter.autoconfigure;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The condition of {@link ConditionalOnLockBackend}. */
final class OnLockBackend implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return hasOwnLocks(context)
                && LockConditions.backendsInUse(context.getEnvironment())
                        .contains(metadata.getAnnotations()
                                .get(ConditionalOnLockBackend.class)
                                .getString(MergedAnnotation.VALUE));
    }

    private static boolean hasOwnLocks(ConditionContext context) {
        return context.getBeanFactory() == null || LockConditions.hasOwnLocks(context.getBeanFactory());
    }
}
