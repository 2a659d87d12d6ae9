package io.github.lockstarter.autoconfigure;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The condition of {@link ConditionalOnLockBackend}. */
final class OnLockBackend implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return LockConditions.routes(context)
                .inUse()
                .contains(metadata.getAnnotations()
                        .get(ConditionalOnLockBackend.class)
                        .getString(MergedAnnotation.VALUE));
    }
}
