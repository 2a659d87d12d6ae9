package io.github.lockstarter.cache;

import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.support.NoOpCache;

/**
 * Spring's cache interceptor, except that for {@code @Cacheable(sync = true)} methods and the named caches one instance
 * loads a missing value, under the lock {@code cache:<cache>:<key>}; the others find the value afterwards. The lock
 * only saves loads: neither a missing grant nor a loss nor the release fails a call. Thread-safe.
 *
 * <p>Calls the loading {@code get} of the cache: after {@code RedisCache.put}, which returns before the value is
 * stored, the next caller would load again. The lock encloses that {@code get}: {@code ConcurrentMapCache} and others
 * load under an own lock over several keys, so two loaders that read each other's keys could deadlock in the opposite
 * order.
 */
@SuppressWarnings("serial") // never serialized, like its superclass
final class SingleLoadCacheInterceptor extends CacheInterceptor {

    private static final Logger log = LoggerFactory.getLogger(SingleLoadCacheInterceptor.class);

    /** The end of {@link Object#toString()}, but not an address such as {@code ann@fab.com}. */
    private static final Pattern IDENTITY = Pattern.compile("[\\w$;]@[0-9a-f]{1,8}(?![\\w.@-])");

    private final Set<String> caches;
    private final Supplier<LockOperations> locks;
    private final BiConsumer<String, LoadOutcome> listener;
    private final Set<String> warnedCaches = ConcurrentHashMap.newKeySet();

    public enum LoadOutcome {
        LOADED,
        HIT_AFTER_WAIT,
        LOADED_WITHOUT_LOCK
    }

    /**
     * @param replaced settings are read on demand
     * @param listener receives the cache's name and the outcome for each missing value; must not block
     */
    public SingleLoadCacheInterceptor(
            CacheInterceptor replaced,
            Set<String> caches,
            Supplier<LockOperations> locks,
            BiConsumer<String, LoadOutcome> listener) {
        this.caches = Set.copyOf(caches);
        this.locks = locks;
        this.listener = listener;
        setCacheOperationSource(replaced.getCacheOperationSource());
        configure(replaced::getErrorHandler, replaced::getKeyGenerator, replaced::getCacheResolver, null);
    }

    public static String lockName(String cache) {
        return "cache-" + cache;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected <T> @Nullable T doGet(Cache cache, Object key, Callable<T> loader) {
        if (!isSingleLoad(cache)) {
            return super.doGet(cache, key, loader);
        }
        Cache.ValueWrapper hit;
        try {
            hit = cache.get(key);
        } catch (RuntimeException e) {
            getErrorHandler().handleCacheGetError(e, cache, key);
            return load(key, loader); // bypasses the failing cache
        }
        return hit == null ? getLocked(cache, key, loader) : (T) hit.get();
    }

    private static <T> @Nullable T load(Object key, Callable<T> loader) {
        try {
            return loader.call();
        } catch (Exception e) {
            throw new Cache.ValueRetrievalException(key, loader, e);
        }
    }

    private <T> @Nullable T getLocked(Cache cache, Object key, Callable<T> loader) {
        Optional<LockHandle> lock = acquireLoadLock(cache, key);
        AtomicBoolean loaded = new AtomicBoolean();
        try {
            return super.doGet(cache, key, () -> {
                loaded.set(true);
                return loader.call();
            });
        } finally {
            end(cache, lock, loaded.get());
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    protected <T> CompletableFuture<T> doRetrieve(Cache cache, Object key, Supplier<CompletableFuture<T>> loader) {
        if (!isSingleLoad(cache)) {
            return super.doRetrieve(cache, key, loader);
        }
        CompletableFuture<?> hit = doRetrieve(cache, key);
        return Objects.requireNonNullElseGet(hit, () -> CompletableFuture.completedFuture(null))
                .thenCompose(value -> value == null
                        ? retrieveLocked(cache, key, loader)
                        : CompletableFuture.completedFuture(
                                (T) (value instanceof Cache.ValueWrapper wrapper ? wrapper.get() : value)));
    }

    private <T> CompletableFuture<T> retrieveLocked(Cache cache, Object key, Supplier<CompletableFuture<T>> loader) {
        AtomicBoolean loaded = new AtomicBoolean();
        Supplier<CompletableFuture<T>> loading = () -> {
            loaded.set(true);
            return loader.get();
        };
        return acquireAsync(cache, key).thenCompose(lock -> CompletableFuture.completedFuture(loading)
                .thenCompose(any -> super.doRetrieve(cache, key, any))
                .whenComplete((value, failure) -> end(cache, lock, loaded.get())));
    }

    private boolean isSingleLoad(Cache cache) {
        return caches.contains(cache.getName()) && !(cache.getNativeCache() instanceof NoOpCache);
    }

    /** Empty if the key's text may differ between JVMs, or is too long. */
    private Optional<LockRequest> request(Cache cache, Object key) {
        String text = key.toString();
        String lockKey = "cache:" + cache.getName() + ':' + text;
        boolean stable = key instanceof String || !IDENTITY.matcher(text).find();
        if (stable && lockKey.length() <= LockRequest.MAX_KEY_LENGTH) {
            return Optional.of(
                    LockRequest.of(lockKey).named(lockName(cache.getName())).inTransaction(InTransaction.RELEASE));
        }
        if (warnedCaches.add(cache.getName())) {
            log.warn(
                    "Cache '{}' loads without a lock for some keys, such as one of {}: their toString() differs from"
                            + " JVM to JVM, or is too long. Give @Cacheable(key = …) or the classes in the key a"
                            + " toString()",
                    cache.getName(),
                    key.getClass());
        }
        return Optional.empty();
    }

    /** Tries once first: a waiting attempt would also wait for an unavailable or recovering store. */
    private Optional<LockHandle> acquireLoadLock(Cache cache, Object key) {
        try {
            return request(cache, key)
                    .map(request -> locks.get().tryAcquire(request).orElseGet(() -> locks.get()
                            .acquire(request)));
        } catch (RuntimeException e) {
            return withoutLock(cache, e);
        }
    }

    /** Never fails. */
    private CompletableFuture<Optional<LockHandle>> acquireAsync(Cache cache, Object key) {
        return CompletableFuture.completedFuture(key)
                .thenApply(any -> request(cache, any).orElseThrow())
                .thenCompose(request -> locks.get()
                        .acquireAsync(request.withoutWaiting())
                        .exceptionallyCompose(e ->
                                isContended(e) ? locks.get().acquireAsync(request) : CompletableFuture.failedFuture(e)))
                .thenApply(Optional::of)
                .exceptionally(e -> withoutLock(cache, e));
    }

    private static Optional<LockHandle> withoutLock(Cache cache, Throwable reason) {
        log.debug("Cache '{}' loads without the lock", cache.getName(), reason);
        return Optional.empty();
    }

    private static boolean isContended(Throwable e) {
        return e instanceof LockNotAcquiredException || e.getCause() instanceof LockNotAcquiredException;
    }

    /** The store may no longer answer, so the release is asynchronous. */
    private void end(Cache cache, Optional<LockHandle> lock, boolean bodyRan) {
        lock.ifPresent(LockHandle::closeAsync);
        LoadOutcome loaded = lock.isPresent() ? LoadOutcome.LOADED : LoadOutcome.LOADED_WITHOUT_LOCK;
        listener.accept(cache.getName(), bodyRan ? loaded : LoadOutcome.HIT_AFTER_WAIT);
    }
}
