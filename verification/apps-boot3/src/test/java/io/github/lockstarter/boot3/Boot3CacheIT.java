package io.github.lockstarter.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCache;
import org.springframework.data.redis.cache.RedisCacheManager;

/** One load per key with Spring 6.2, in the cache that Boot 3 configures. */
@Tag("full")
class Boot3CacheIT {

    private static final int THREADS = 20;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableCaching
    static class PriceApplication {

        @Bean
        Prices prices() {
            return new Prices(new AtomicInteger());
        }
    }

    static class Prices {

        private final AtomicInteger loads;

        Prices(AtomicInteger loads) {
            this.loads = loads;
        }

        @Cacheable(cacheNames = "prices", sync = true)
        public int price(String item, int quantity) throws InterruptedException {
            Thread.sleep(200); // the load
            return loads.incrementAndGet();
        }

        @Cacheable(cacheNames = "prices", sync = true)
        public CompletableFuture<Integer> priceLater(String item) {
            return CompletableFuture.supplyAsync(
                    loads::incrementAndGet, CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));
        }
    }

    @Test
    void loadsOncePerKey() {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext context = new SpringApplicationBuilder(PriceApplication.class)
                        .web(WebApplicationType.NONE)
                        .run(
                                "--spring.data.redis.host=127.0.0.1",
                                "--spring.data.redis.port=" + redis.port(),
                                "--spring.cache.redis.enable-statistics=true",
                                "--distributed-lock.cache.names=prices")) {
            assertThat(context.getBean(CacheInterceptor.class))
                    .extracting(interceptor -> interceptor.getClass().getSimpleName())
                    .isEqualTo("SingleLoadCacheInterceptor");
            Prices prices = context.getBean(Prices.class);
            List<CompletableFuture<Integer>> calls = IntStream.range(0, THREADS)
                    .mapToObj(call -> CompletableFuture.supplyAsync(() -> price(prices), threads))
                    .toList();
            assertThat(calls).map(CompletableFuture::join).containsOnly(1);
            List<CompletableFuture<Integer>> later = Stream.generate(() -> prices.priceLater("lamp"))
                    .limit(THREADS)
                    .toList();
            assertThat(later).map(CompletableFuture::join).containsOnly(2);
            RedisCache cache =
                    (RedisCache) context.getBean(RedisCacheManager.class).getCache("prices");
            assertThat(cache.getStatistics().getPuts()).isEqualTo(2);
        } finally {
            threads.shutdownNow();
        }
    }

    private static int price(Prices prices) {
        try {
            return prices.price("lamp", 2);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
