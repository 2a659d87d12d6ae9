package io.github.lockstarter.autoconfigure.redis;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Qualifier of the {@code LettuceConnectionFactory} to use for locks if there are several connection factories. The
 * default is the only or {@code @Primary} one. With {@code @Bean(defaultCandidate = false)}, everything else uses the
 * factory that Boot configures.
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DistributedLockRedisConnectionFactory {}
