package io.github.lockstarter.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.support.CompositeCacheManager;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;

@ExtendWith(OutputCaptureExtension.class)
class SingleLoadCachesTests {

    private final ApplicationContextRunner uncached = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DistributedLockAutoConfiguration.class, SingleLoadCacheAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    private final ApplicationContextRunner application =
            uncached.withUserConfiguration(Caching.class).withPropertyValues("distributed-lock.cache.names=products");

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {}

    /** Final, and injected by its own type. */
    static final class Caches extends SimpleCacheManager {

        Caches(String... names) {
            setCaches(Set.of(names).stream()
                    .map(name -> new ConcurrentMapCache(
                            name, new ConcurrentSkipListMap<>(Comparator.comparing(Object::toString)), true))
                    .toList());
            initializeCaches();
        }
    }

    record Shop(Caches caches) {}

    static class Products {

        @Cacheable(cacheNames = "products", key = "#key", cacheManager = "more", sync = true)
        public String load(String key, LockOperations locks) {
            return locks.heldLocks().snapshot().toString();
        }
    }

    private static void assertFails(ApplicationContextRunner runner, String problem, String action) {
        FailureReport.assertThat(runner)
                .isEqualTo("distributed-lock.cache.names is [products], but " + problem + "\n\n" + action
                        + ", or remove distributed-lock.cache.names");
    }

    @Test
    void doesNotReplaceBeansOfTheApplication(CapturedOutput output) {
        application
                .withBean("caches", Caches.class, () -> new Caches("products"))
                .withBean(Shop.class)
                .run(context -> {
                    Cache cache = context.getBean(Shop.class).caches().getCache("products");
                    assertThat(cache).isExactlyInstanceOf(ConcurrentMapCache.class);
                    assertThat(context.getBean(CacheInterceptor.class)).isInstanceOf(SingleLoadCacheInterceptor.class);
                    assertThat(output).doesNotContain("is not eligible").doesNotContain("cache");
                });
    }

    @Test
    void findsTheCacheThatTheMethodNamesAmongSeveralManagers() {
        application
                .withBean("caches", Caches.class, () -> new Caches("prices"))
                .withBean(
                        "more",
                        CacheManager.class,
                        () -> new CompositeCacheManager(new Caches(), new Caches("products")))
                .withUserConfiguration(Primary.class)
                .withBean(Products.class)
                .run(context -> assertThat(
                                context.getBean(Products.class).load("a", context.getBean(LockOperations.class)))
                        .contains("cache-products"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Primary implements CachingConfigurer {

        @Override
        public CacheManager cacheManager() {
            return new Caches("prices");
        }
    }

    @Test
    void changesNothingWithoutNames() {
        uncached.withUserConfiguration(Caching.class)
                .withBean(Caches.class, () -> new Caches("products"))
                .run(context -> assertThat(context.getBean(CacheInterceptor.class))
                        .isExactlyInstanceOf(CacheInterceptor.class));
        uncached.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void changesNothingWithoutLocks() {
        application
                .withPropertyValues("distributed-lock.enabled=false")
                .withBean(Caches.class, () -> new Caches("products"))
                .run(context -> assertThat(context.getBean(CacheInterceptor.class))
                        .isExactlyInstanceOf(CacheInterceptor.class));
    }

    @Test
    void warnsOfSettingsForACacheThatIsNotNamed(CapturedOutput output) {
        application
                .withBean(Caches.class, () -> new Caches("products"))
                .withPropertyValues(
                        "distributed-lock.locks.cache-products.lease=20s",
                        "distributed-lock.locks.cache-prices.lease=20s")
                .run(context ->
                        assertThat(output).contains("distributed-lock.locks has settings for [cache-prices], and no "));
    }

    @Test
    void startFailsWithoutCaching() {
        assertFails(
                uncached.withPropertyValues("distributed-lock.cache.names=products")
                        .withBean(Caches.class, () -> new Caches("products")),
                "Spring's CacheInterceptor is not there",
                "Annotate a configuration with @EnableCaching");
    }

    @Test
    void startFailsForAnUnknownCache() {
        String problem = "no CacheManager has a cache 'products' outside of the memory of this instance";
        String action = "Correct the name, or declare a cache that all instances share";
        assertFails(application.withBean(Caches.class, () -> new Caches("prices")), problem, action);
        assertFails(application.withBean(ConcurrentMapCacheManager.class), problem, action);
        assertFails(
                application.withUserConfiguration(Primary.class).withBean("other", Caches.class, () -> new Caches("x")),
                problem,
                action);
    }

    @Test
    void startFailsWithSeveralLocksWithoutAPrimaryOne() {
        LockOperations locks = mock(LockOperations.class);
        application
                .withClassLoader(new FilteredClassLoader(Flux.class)) // the publishers' locks would fail before
                .withBean(Caches.class, () -> new Caches("products"))
                .withBean("one", LockOperations.class, () -> locks)
                .withBean("two", LockOperations.class, () -> locks)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(NoUniqueBeanDefinitionException.class)
                        .hasMessageContaining("LockOperations' available: expected single matching bean but found 2"));
    }
}
