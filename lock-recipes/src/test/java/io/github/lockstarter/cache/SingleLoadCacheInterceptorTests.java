package io.github.lockstarter.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import io.github.lockstarter.testing.Crowd;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.ArgumentMatchers;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.cache.interceptor.LoggingCacheErrorHandler;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** The threads of one JVM represent instances: the cache does not keep two of them from loading at once. */
@ExtendWith(OutputCaptureExtension.class)
class SingleLoadCacheInterceptorTests {

    private final ApplicationContextRunner unnamed = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DistributedLockAutoConfiguration.class,
                    LockObservabilityAutoConfiguration.class,
                    SingleLoadCacheAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local", "distributed-lock.max-wait=60s")
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withBean(Loads.class)
            .withBean(Products.class)
            .withUserConfiguration(Caching.class);

    private final ApplicationContextRunner application = unnamed.withBean(CacheManager.class, () -> caches())
            .withPropertyValues("distributed-lock.cache.names=products,prices");

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {}

    private static CacheManager caches() {
        SimpleCacheManager caches = new SimpleCacheManager();
        caches.setCaches(Set.of(sharedCache("products"), sharedCache("prices")));
        caches.initializeCaches();
        return caches;
    }

    /** Looks up, and stores values that were loaded in between, as commands to a server do. */
    private static Cache sharedCache(String name) {
        return new ConcurrentMapCache(name, new ConcurrentSkipListMap<>(Comparator.comparing(Object::toString)), true);
    }

    /** Loads a value. */
    interface Loader {
        @Nullable
        Object load(Object key) throws Exception;
    }

    /** A loader that counts its calls. */
    static class Loads {

        final AtomicInteger count = new AtomicInteger();
        volatile Loader loader = key -> "lamp " + key;

        @Nullable
        Object load(Object key) throws Exception {
            count.incrementAndGet();
            return loader.load(key);
        }
    }

    static class Products {

        private final Loads loads;

        Products(Loads loads) {
            this.loads = loads;
        }

        @Cacheable(cacheNames = "products", sync = true)
        public @Nullable Object load(Object key) throws Exception {
            return loads.load(key);
        }

        @Cacheable(cacheNames = "products", sync = true)
        public @Nullable Object load(Object first, Object second) throws Exception {
            return loads.load(first);
        }

        @Cacheable(cacheNames = "prices", sync = true)
        public @Nullable Object price(Object key) throws Exception {
            return loads.load(key);
        }

        @Cacheable(cacheNames = "products", sync = true)
        public CompletableFuture<Object> future(Object key) {
            return Mono.fromCallable(() -> loads.load(key))
                    .delayElement(Duration.ofMillis(20))
                    .toFuture();
        }

        @Cacheable(cacheNames = "products", sync = true)
        public Mono<Object> mono(Object key) {
            return Mono.fromCallable(() -> loads.load(key)).delayElement(Duration.ofMillis(20));
        }

        @DistributedLock(name = "order", key = "#key")
        public @Nullable Object inOrder(Object key, Supplier<@Nullable Object> body) {
            return body.get();
        }
    }

    private static @Nullable Object load(Products products, Object key) {
        try {
            return products.load(key);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits a moment for a second load at the same time. */
    private static Loader meeting() {
        CyclicBarrier two = new CyclicBarrier(2);
        return key -> {
            try {
                two.await(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS);
                return "together";
            } catch (TimeoutException | BrokenBarrierException e) {
                return "alone";
            }
        };
    }

    private static double count(ApplicationContext context, String outcome) {
        Counter counter = context.getBean(MeterRegistry.class)
                .find("distributed.lock.cache")
                .tags("cache", "products", "outcome", outcome)
                .counter();
        return counter == null ? 0 : counter.count();
    }

    private static List<String> held(ApplicationContext context) {
        return LockRunner.held(context).snapshot().stream().map(HeldLock::key).toList();
    }

    @Test
    void loadsOnceForAllThreads() {
        application.run(context -> {
            Products products = context.getBean(Products.class);
            Loads loads = context.getBean(Loads.class);
            loads.loader = meeting();
            Queue<Object> values = new ConcurrentLinkedQueue<>();
            Crowd.of(50).eachRuns(1, () -> values.add(load(products, 42)));
            assertThat(values).hasSize(50).containsOnly("alone");
            assertThat(loads.count).hasValue(1);
            assertThat(count(context, "loaded")).isEqualTo(1);
            assertThat(count(context, "hit_after_wait")).isBetween(1.0, 49.0);
            assertThat(count(context, "loaded_without_lock")).isZero();
        });
    }

    /** The control of the test before. */
    @Test
    void loadsMoreThanOnceIfTheCacheIsNotNamed() {
        unnamed.withBean(CacheManager.class, () -> caches()).run(context -> {
            Products products = context.getBean(Products.class);
            context.getBean(Loads.class).loader = meeting();
            Crowd.of(50).eachRuns(1, () -> load(products, 42));
            assertThat(context.getBean(Loads.class).count).hasValueGreaterThan(1);
        });
    }

    @Test
    void holdsTheLockOfTheKeyWhileItLoads() {
        application.run(context -> {
            context.getBean(Loads.class).loader = key -> held(context).toString() + LockHandle.current();
            assertThat(context.getBean(Products.class).load("a b"))
                    .isEqualTo("[cache:products:a b]" + Optional.empty());
            assertThat(held(context)).isEmpty();
        });
    }

    @Test
    void acquiresNoLockIfTheValueIsCached() {
        LockOperations locks = mock(LockOperations.class);
        CacheManager caches = caches();
        caches.getCache("products").put(42, "lamp");
        unnamed.withBean(CacheManager.class, () -> caches)
                .withBean(LockOperations.class, () -> locks)
                .withPropertyValues("distributed-lock.cache.names=products")
                .run(context -> {
                    Products products = context.getBean(Products.class);
                    assertThat(products.load(42)).isEqualTo("lamp");
                    assertThat(products.future(42).join()).isEqualTo("lamp");
                    assertThat(products.mono(42).block()).isEqualTo("lamp");
                    verifyNoInteractions(locks);
                });
    }

    @Test
    void keepsTheLockOfAnOuterMethodCurrent() {
        application.run(context -> {
            Products products = context.getBean(Products.class);
            context.getBean(Loads.class).loader =
                    key -> LockHandle.current().orElseThrow().key();
            assertThat(products.inOrder(7, () -> load(products, 42))).isEqualTo("order:7");
        });
    }

    @Test
    void cachesNull() {
        application.run(context -> {
            Products products = context.getBean(Products.class);
            context.getBean(Loads.class).loader = key -> null;
            assertThat(products.load(42)).isNull();
            assertThat(products.load(42)).isNull();
            assertThat(products.future(42).join()).isNull();
            assertThat(context.getBean(Loads.class).count).hasValue(1);
        });
    }

    @Test
    void rethrowsTheExceptionOfTheMethodAndCachesNothing() {
        application.run(context -> {
            Products products = context.getBean(Products.class);
            IOException failure = new IOException("no database");
            context.getBean(Loads.class).loader = key -> {
                throw failure;
            };
            assertThatThrownBy(() -> products.load(42)).isSameAs(failure);
            assertThatThrownBy(() -> products.future(42).join()).hasRootCause(failure);
            assertThatThrownBy(() -> products.mono(42).block()).hasRootCause(failure);
            assertThat(held(context)).isEmpty();
            context.getBean(Loads.class).loader = key -> "lamp";
            assertThat(products.load(42)).isEqualTo("lamp");
            assertThat(context.getBean(Loads.class).count).hasValue(4);
        });
    }

    @Test
    void theNextCallLoadsAfterAFailure() {
        application.run(context -> {
            Products products = context.getBean(Products.class);
            CountDownLatch isLoading = new CountDownLatch(1);
            CountDownLatch mayFail = new CountDownLatch(1);
            context.getBean(Loads.class).loader = key -> {
                isLoading.countDown();
                if (mayFail.getCount() > 0) {
                    mayFail.await();
                    throw new IOException("no database");
                }
                return "lamp";
            };
            CompletableFuture<?> first = inBackground(() -> load(products, 42));
            isLoading.await();
            CompletableFuture<?> second = inBackground(() -> load(products, 42));
            Awaitility.await().until(() -> isWaitedFor(context));
            mayFail.countDown();
            assertThat(second.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("lamp");
            assertThatThrownBy(first::join).hasRootCauseInstanceOf(IOException.class);
            assertThat(context.getBean(Loads.class).count).hasValue(2);
        });
    }

    private static <T> CompletableFuture<T> inBackground(Supplier<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        result.complete(call.get());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                })
                .start();
        return result;
    }

    private static boolean isWaitedFor(ApplicationContext context) {
        return context.getBean(MeterRegistry.class)
                        .get("distributed.lock.waiting")
                        .tag("name", "cache-products")
                        .gauge()
                        .value()
                > 0;
    }

    @Test
    void loadsWithoutTheLockWhenTheWaitIsOver(CapturedOutput output) {
        application
                .withPropertyValues("distributed-lock.locks.cache-products.max-wait=100ms")
                .run(context -> {
                    Products products = context.getBean(Products.class);
                    LockHandle other = context.getBean(LockOperations.class)
                            .acquireAsync("cache:products:42")
                            .join();
                    long begin = System.nanoTime();
                    assertThat(products.load(42)).isEqualTo("lamp 42");
                    assertThat(Duration.ofNanos(System.nanoTime() - begin))
                            .isBetween(Duration.ofMillis(90), Patience.TIME);
                    context.getBean(CacheManager.class).getCache("products").clear();
                    assertThat(products.future(42).join()).isEqualTo("lamp 42");
                    assertThat(other.isHeld()).isTrue();
                    other.release();
                    assertThat(count(context, "loaded_without_lock")).isEqualTo(2);
                    assertThat(output).doesNotContain("has settings for");
                });
    }

    static List<RuntimeException> failures() {
        return List.of(
                new LockBackendException("cache:products:42", "no answer", null),
                new LockStoreRecoveringException("cache:products:42", "restarted", Duration.ofSeconds(20)),
                new IllegalStateException("a bug"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void loadsAtOnceIfTheStoreDoesNotAnswer(RuntimeException failure) {
        LockOperations locks = mock(LockOperations.class);
        when(locks.tryAcquire(any(LockRequest.class))).thenThrow(failure);
        when(locks.acquireAsync(any(LockRequest.class)))
                .thenReturn(CompletableFuture.failedFuture(failure))
                .thenThrow(failure);
        application.withBean(LockOperations.class, () -> locks).run(context -> {
            Products products = context.getBean(Products.class);
            assertThat(products.load(42)).isEqualTo("lamp 42");
            assertThat(products.future(43).join()).isEqualTo("lamp 43");
            assertThat(products.mono(44).block()).isEqualTo("lamp 44");
            assertThat(count(context, "loaded_without_lock")).isEqualTo(3);
            verify(locks, never()).acquire(any(LockRequest.class));
        });
    }

    @Test
    void loadsWithoutTheLockOnAnInterruptedThread() {
        application.run(context -> {
            Thread.currentThread().interrupt();
            assertThat(context.getBean(Products.class).load(42)).isEqualTo("lamp 42");
            assertThat(Thread.interrupted()).isTrue();
            assertThat(count(context, "loaded_without_lock")).isEqualTo(1);
        });
    }

    @Test
    void returnsTheValueIfTheLockIsLostDuringTheLoad() {
        LockHandle lost = mock(LockHandle.class);
        when(lost.closeAsync())
                .thenReturn(CompletableFuture.failedFuture(new LockLostException("cache:products:42", "paused")));
        LockOperations locks = mock(LockOperations.class);
        when(locks.tryAcquire(any(LockRequest.class))).thenReturn(Optional.of(lost));
        when(locks.acquireAsync(any(LockRequest.class))).thenReturn(CompletableFuture.completedFuture(lost));
        application.withBean(LockOperations.class, () -> locks).run(context -> {
            assertThat(context.getBean(Products.class).load(42)).isEqualTo("lamp 42");
            assertThat(context.getBean(Products.class).future(43).join()).isEqualTo("lamp 43");
            verify(lost, times(2)).closeAsync();
        });
    }

    /** A lock that it holds twice is the same lock. */
    @Test
    void aLoaderCanReadItsOwnKey() {
        application.run(context -> {
            Products products = context.getBean(Products.class);
            context.getBean(Loads.class).loader =
                    key -> key.equals("lamp") ? products.price("cost") + ", " + products.load("shade") : held(context);
            assertThat(products.load("lamp"))
                    .isEqualTo("[cache:products:lamp, cache:prices:cost], [cache:products:lamp, cache:products:shade]");
            assertThat(held(context)).isEmpty();
        });
    }

    @Test
    void twoLoadersThatReadEachOthersKeysDoNotDeadlock() {
        application.withPropertyValues("distributed-lock.max-wait=200ms").run(context -> {
            Products products = context.getBean(Products.class);
            CyclicBarrier both = new CyclicBarrier(2);
            AtomicInteger begun = new AtomicInteger();
            context.getBean(Loads.class).loader = key -> {
                if (begun.incrementAndGet() > 2) {
                    return "inner " + key;
                }
                both.await();
                return "outer " + products.load(key.equals("a") ? "b" : "a");
            };
            CompletableFuture<Object> a = inBackground(() -> load(products, "a"));
            CompletableFuture<Object> b = inBackground(() -> load(products, "b"));
            assertThat(List.of(a.get(Patience.SECONDS, TimeUnit.SECONDS), b.get(Patience.SECONDS, TimeUnit.SECONDS)))
                    .allSatisfy(value -> assertThat((String) value).contains("inner "));
            assertThat(held(context)).isEmpty();
        });
    }

    @Test
    void loadsFuturesAndPublishersOnce() {
        application.run(context -> {
            Products products = context.getBean(Products.class);
            List<CompletableFuture<Object>> calls = IntStream.range(0, 30)
                    .mapToObj(call -> call % 2 == 0
                            ? products.future(42)
                            : products.mono(42).toFuture())
                    .toList();
            assertThat(calls).allSatisfy(call -> assertThat(call.get(Patience.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("lamp 42"));
            assertThat(context.getBean(Loads.class).count).hasValue(1);
            assertThat(count(context, "loaded")).isEqualTo(1);
            Awaitility.await().until(() -> held(context).isEmpty());
        });
    }

    /** The control of the test before. */
    @Test
    void loadsFuturesMoreThanOnceIfTheCacheIsNotNamed() {
        unnamed.withBean(CacheManager.class, () -> caches()).run(context -> {
            Products products = context.getBean(Products.class);
            Loads loads = context.getBean(Loads.class);
            CountDownLatch several = new CountDownLatch(2);
            loads.loader = key -> {
                several.countDown();
                assertThat(several.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
                return "lamp";
            };
            Stream.generate(() -> inBackground(() -> products.future(42).join()))
                    .limit(2)
                    .toList()
                    .forEach(CompletableFuture::join);
            assertThat(loads.count).hasValueGreaterThan(1);
        });
    }

    enum Colour {
        RED
    }

    record Size(int width, Object unit) {}

    @Test
    void locksKeysWhoseTextIsTheSameInEveryJvm(CapturedOutput output) {
        application.run(context -> {
            Products products = context.getBean(Products.class);
            UUID id = UUID.randomUUID();
            List.of(
                            "ann@fade.com",
                            "price@20260101",
                            7L,
                            id,
                            Colour.RED,
                            LocalDate.EPOCH,
                            List.of(1, "b"),
                            new Size(1, "m"))
                    .forEach(key -> load(products, key));
            products.load("ann@fade.com", Colour.RED);
            products.load(new int[] {1, 2}, id);
            assertThat(count(context, "loaded")).isEqualTo(10);
            assertThat(output).doesNotContain("toString()");
        });
    }

    @Test
    void loadsOtherKeysWithoutALockAndWarnsOnce(CapturedOutput output) {
        application.run(context -> {
            Products products = context.getBean(Products.class);
            Object identity = new Object();
            List.of(identity, List.of(identity), new Size(1, identity), "x".repeat(LockRequest.MAX_KEY_LENGTH))
                    .forEach(key -> load(products, key));
            products.load("a", identity);
            products.load(new Object[] {identity, new byte[0][0]}, "b");
            assertThat(count(context, "loaded")).isZero();
            assertThat(count(context, "loaded_without_lock")).isEqualTo(6);
            assertThat(output.toString().lines().filter(line -> line.contains("toString()")))
                    .singleElement()
                    .asString()
                    .contains(
                            "Cache 'products' loads without a lock for some keys, such as one of class java.lang.Object");
        });
    }

    @Test
    void acquiresNoLockForACacheThatStoresNothing() {
        LockOperations locks = mock(LockOperations.class);
        unnamed.withBean(CacheManager.class, NoOpCacheManager::new)
                .withBean(LockOperations.class, () -> locks)
                .withPropertyValues("distributed-lock.cache.names=products")
                .run(context -> {
                    assertThat(context.getBean(Products.class).load(42)).isEqualTo("lamp 42");
                    assertThat(context.getBean(Products.class).future(42).join())
                            .isEqualTo("lamp 42");
                    assertThat(context.getBean(Loads.class).count).hasValue(2);
                    verifyNoInteractions(locks);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class LoggedErrors implements CachingConfigurer {

        @Override
        public CacheErrorHandler errorHandler() {
            return new LoggingCacheErrorHandler();
        }
    }

    @Test
    void leavesAFailureOfTheCacheToTheErrorHandler() {
        Cache failing = mock(Cache.class, call -> {
            if (call.getMethod().getName().startsWith("get") && call.getMethod().getParameterCount() == 0) {
                return "products";
            }
            throw new IllegalStateException("the cache is down");
        });
        SimpleCacheManager caches = new SimpleCacheManager();
        caches.setCaches(Set.of(failing));
        ApplicationContextRunner down = unnamed.withBean(CacheManager.class, () -> caches)
                .withPropertyValues("distributed-lock.cache.names=products");
        down.run(context -> {
            Products products = context.getBean(Products.class);
            assertThatThrownBy(() -> products.load(42)).hasMessage("the cache is down");
            assertThatThrownBy(() -> products.future(42)).hasMessage("the cache is down");
            assertThat(held(context)).isEmpty();
        });
        down.withUserConfiguration(LoggedErrors.class).run(context -> {
            Products products = context.getBean(Products.class);
            clearInvocations(failing);
            assertThat(products.load(42)).isEqualTo("lamp 42");
            verify(failing, times(1)).get(42); // each time may be a timeout
            verify(failing, never()).get(any(), ArgumentMatchers.<Callable<?>>any());
            assertThat(products.future(42).join()).isEqualTo("lamp 42");
            assertThat(held(context)).isEmpty();
            IOException failure = new IOException("no database");
            context.getBean(Loads.class).loader = key -> {
                throw failure;
            };
            assertThatThrownBy(() -> products.load(42)).isSameAs(failure);
        });
    }
}
