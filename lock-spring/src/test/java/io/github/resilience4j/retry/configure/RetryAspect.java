package io.github.resilience4j.retry.configure;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.springframework.core.Ordered;

/** Stands for Resilience4j's aspect of this name, and has its default order. */
@Aspect
public class RetryAspect implements Ordered {

    @Around("@annotation(io.github.resilience4j.retry.annotation.Retry)")
    public Object proceed(ProceedingJoinPoint call) throws Throwable {
        return call.proceed();
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE - 4;
    }
}
