package io.github.lockstarter.cache;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.aop.LockStartException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.function.SingletonSupplier;

/**
 * Replaces Spring's cache interceptor before proxies get it, and fails startup if a name has no effect.
 *
 * @param names caches; if empty, nothing is replaced
 */
record SingleLoadCaches(Set<String> names, ConfigurableListableBeanFactory beans)
        implements BeanPostProcessor, PriorityOrdered, SmartInitializingSingleton {

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (names.isEmpty() || bean.getClass() != CacheInterceptor.class) {
            return bean;
        }
        Supplier<List<CacheMetrics>> meters =
                SingletonSupplier.of(() -> all(CacheMetrics.class).toList());
        SingleLoadCacheInterceptor interceptor = new SingleLoadCacheInterceptor(
                (CacheInterceptor) bean,
                names,
                SingletonSupplier.of(() -> beans.getBean(LockOperations.class)),
                (cache, outcome) -> meters.get().forEach(each -> each.missed(cache, outcome)));
        interceptor.setBeanFactory(beans);
        return interceptor;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (names.isEmpty()) {
            return;
        }
        if (all(SingleLoadCacheInterceptor.class).findAny().isEmpty()) {
            throw invalid("Spring's CacheInterceptor is not there", "Annotate a configuration with @EnableCaching");
        }
        beans.getBean(LockOperations.class); // fails unless there is one primary bean
        for (String name : names) {
            if (all(CacheManager.class).map(manager -> manager.getCache(name)).noneMatch(SingleLoadCaches::isShared)) {
                throw invalid(
                        "no CacheManager has a cache '" + name + "' outside of the memory of this instance",
                        "Correct the name, or declare a cache that all instances share");
            }
        }
    }

    /** Accepts a cache that stores nothing, as in tests. */
    private static boolean isShared(@Nullable Cache cache) {
        return cache != null
                && !(cache.getNativeCache() instanceof ConcurrentHashMap)
                && !cache.getNativeCache().getClass().getName().startsWith("com.github.benmanes.caffeine.");
    }

    private <T> Stream<T> all(Class<T> type) {
        return beans.getBeanProvider(type).stream();
    }

    private LockStartException invalid(String problem, String action) {
        return new LockStartException(
                "distributed-lock.cache.names is " + names + ", but " + problem,
                action + ", or remove distributed-lock.cache.names");
    }
}
