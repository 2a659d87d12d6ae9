package io.github.lockstarter.guide;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.recipes.SingleLoadCacheAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One instance of an application that caches products in Redis. For each key on its standard input, {@value #THREADS}
 * threads request the product; prints when a thread starts to load, and after how many milliseconds all threads have
 * the product.
 */
@Configuration(proxyBeanMethods = false)
@EnableCaching
@ImportAutoConfiguration({
    DataRedisAutoConfiguration.class,
    DistributedLockAutoConfiguration.class,
    SingleLoadCacheAutoConfiguration.class,
    RedisLockAutoConfiguration.class
})
@Import(CachedProductApplication.ProductLoader.class)
class CachedProductApplication {

    static final int THREADS = 50;
    static final String READY = "READY";
    static final String LOADS = "LOADS";
    static final String ANSWERED = "ANSWERED";

    /** Runs. */
    public static void main(String[] arguments) throws IOException {
        SpringApplication application = new SpringApplication(CachedProductApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        Products products = application.run(arguments).getBean(Products.class);
        BufferedReader keys = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println(READY);
        for (String key = keys.readLine(); key != null; key = keys.readLine()) {
            ask(products, key);
        }
    }

    private static void ask(Products products, String key) {
        long begin = System.nanoTime();
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        List<CompletableFuture<String>> asked = IntStream.range(0, THREADS)
                .mapToObj(thread -> CompletableFuture.supplyAsync(() -> products.find(key), pool))
                .toList();
        asked.forEach(CompletableFuture::join);
        pool.shutdown();
        System.out.println(ANSWERED + " " + key + " " + (System.nanoTime() - begin) / 1_000_000);
    }

    /** Of another server, if it has a port of its own. */
    @Bean
    RedisCacheManager cacheManager(
            RedisConnectionFactory locks,
            @Value("${spring.data.redis.host}") String host,
            @Value("${test.cache-port:0}") int port) {
        RedisConnectionFactory server = locks;
        if (port != 0) {
            LettuceConnectionFactory own = new LettuceConnectionFactory(host, port);
            own.afterPropertiesSet();
            own.start();
            server = own;
        }
        return RedisCacheManager.builder(server)
                .cacheDefaults(RedisCacheConfiguration.defaultCacheConfig().entryTtl(Duration.ofMinutes(10)))
                .build();
    }

    @Bean
    Products products(ProductLoader loader) {
        return new Products(loader);
    }

    /** Requests in the way that the key's prefix names. */
    record Products(ProductLoader loader) {

        String find(String key) {
            if (key.startsWith("async")) {
                return loader.loadLater(key).join();
            }
            return key.startsWith("control") ? loader.loadUnnamed(key) : loader.load(key);
        }
    }

    static class ProductLoader {

        private final long loadMs;

        ProductLoader(@Value("${test.load-ms}") long loadMs) {
            this.loadMs = loadMs;
        }

        @Cacheable(cacheNames = "products", sync = true)
        public String load(String key) {
            return slowly(key);
        }

        /** In a cache that is not named in distributed-lock.cache.names. */
        @Cacheable(cacheNames = "others", sync = true)
        public String loadUnnamed(String key) {
            return slowly(key);
        }

        private String slowly(String key) {
            System.out.println(LOADS + " " + key + " " + System.nanoTime());
            try {
                Thread.sleep(loadMs); // the load
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return "product " + key;
        }

        @Cacheable(cacheNames = "products", sync = true)
        public CompletableFuture<String> loadLater(String key) {
            System.out.println(LOADS + " " + key + " " + System.nanoTime());
            return CompletableFuture.supplyAsync(
                    () -> "product " + key, CompletableFuture.delayedExecutor(loadMs, TimeUnit.MILLISECONDS));
        }
    }
}
