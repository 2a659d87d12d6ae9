package io.github.lockstarter.cache;

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
 * The cache interceptor of an application, whose {@code @Cacheable(sync = true)} methods load a missing value of the
 * named caches once over all instances: the call that gets the lock {@code cache:<cache>:<key>} loads, and the others
 * find the value when they get the lock. Thread-safe.
 *
 * <p>The lock only saves loads. A call that does not get it for any reason loads without it: another owner had it for
 * the whole wait, the store does not answer or recovers, the thread was interrupted, or the key has no text that is the
 * same in every JVM. Neither a loss of the lock nor its release fails a call. The loader does not find this lock by
 * {@link LockHandle#current()}, which stays that of a locked method around the call.
 *
 * <p>The cache is asked as without the lock: the loading {@code get} of the cache looks again, loads and stores, so
 * null values, exceptions of the loader and the error handler are those of Spring. A {@code put} instead would not do:
 * that of {@code RedisCache} returns before the value is stored, and the next caller would load again.
 *
 * <p>The lock is held around that {@code get}, never the other way round. Caches such as {@code ConcurrentMapCache}
 * load inside of a lock of their own that covers more keys than one: a call must not hold it while it waits for another
 * instance, and two loaders that read each other's keys could hold ours and theirs in different orders. With ours
 * outside, such loaders wait for each other until the wait of one of them ends, and then it loads.
 *
 * <p>A {@link NoOpCache} is left alone: in it, the calls that wait for the lock would find nothing either.
 */
@SuppressWarnings("serial") // as in the class that it extends: an interceptor is never serialized
public final class SingleLoadCacheInterceptor extends CacheInterceptor {

    private static final Logger log = LoggerFactory.getLogger(SingleLoadCacheInterceptor.class);

    /** The end of {@link Object#toString()}; not that of an address such as {@code ann@fab.com}. */
    private static final Pattern IDENTITY = Pattern.compile("[\\w$;]@[0-9a-f]{1,8}(?![\\w.@-])");

    private final Set<String> caches;
    private final Supplier<LockOperations> locks;
    private final BiConsumer<String, Outcome> listener;
    private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

    /** How a call got a value that was missing. */
    public enum Outcome {
        /** It called the method under the lock of the key. */
        LOADED,
        /** The value was there when the call had waited for the lock. */
        HIT_AFTER_WAIT,
        /** It called the method without the lock, which it did not get. */
        LOADED_WITHOUT_LOCK
    }

    /**
     * Takes the place of an interceptor, with what that one is configured with.
     *
     * @param replaced the interceptor; asked for its resolver, key generator and error handler when they are needed
     * @param caches names of the caches
     * @param locks asked for when a value is missing
     * @param listener called for each value that is missing, with the name of the cache; returns at once
     */
    public SingleLoadCacheInterceptor(
            CacheInterceptor replaced,
            Set<String> caches,
            Supplier<LockOperations> locks,
            BiConsumer<String, Outcome> listener) {
        this.caches = Set.copyOf(caches);
        this.locks = locks;
        this.listener = listener;
        setCacheOperationSource(replaced.getCacheOperationSource());
        configure(replaced::getErrorHandler, replaced::getKeyGenerator, replaced::getCacheResolver, null);
    }

    /**
     * The name of the locks of a cache, in {@code distributed-lock.locks} and in meters.
     *
     * @param cache name of the cache
     * @return the name
     */
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
            return load(key, loader); // a failing cache is not asked again
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
        Optional<LockHandle> lock = acquire(cache, key);
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

    /** The lock of a key; empty if the text of the key may differ from JVM to JVM, or is too long. */
    private Optional<LockRequest> request(Cache cache, Object key) {
        String text = key.toString();
        String lockKey = "cache:" + cache.getName() + ':' + text;
        boolean isStable = key instanceof String || !IDENTITY.matcher(text).find();
        if (isStable && lockKey.length() <= LockRequest.MAX_KEY_LENGTH) {
            return Optional.of(LockRequest.of(lockKey).named(lockName(cache.getName())));
        }
        if (warnedOf.add(cache.getName())) {
            log.warn(
                    "Cache '{}' loads without a lock for some keys, such as one of {}: their toString() differs from"
                            + " JVM to JVM, or is too long. Give @Cacheable(key = …) or the classes in the key a"
                            + " toString()",
                    cache.getName(),
                    key.getClass());
        }
        return Optional.empty();
    }

    /** A single attempt comes first, since one that waits does so also while the store does not answer or recovers. */
    private Optional<LockHandle> acquire(Cache cache, Object key) {
        try {
            return request(cache, key)
                    .map(request -> locks.get().tryAcquire(request).orElseGet(() -> locks.get()
                            .acquire(request)));
        } catch (RuntimeException e) {
            return withoutLock(cache, e);
        }
    }

    /** As {@link #acquire}; never fails. */
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

    /** The lock is given up without waiting for the store, which may no longer answer. */
    private void end(Cache cache, Optional<LockHandle> lock, boolean isLoaded) {
        lock.ifPresent(LockHandle::closeAsync);
        Outcome loaded = lock.isPresent() ? Outcome.LOADED : Outcome.LOADED_WITHOUT_LOCK;
        listener.accept(cache.getName(), isLoaded ? loaded : Outcome.HIT_AFTER_WAIT);
    }
}
