package io.github.lockstarter.aop;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/** An invocation that proceeds after its call has returned, on another thread, perhaps more than once. */
final class DetachedInvocation {

    private DetachedInvocation() {}

    /** One that proceeds once, apart from the given one. */
    static MethodInvocation of(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
    }

    /** Proceeds. Aspects on the way find the invocation on this thread, as on that of the call. */
    static @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
        return invocation instanceof ProxyMethodInvocation
                ? ExposeInvocationInterceptor.INSTANCE.invoke(invocation)
                : invocation.proceed();
    }
}
