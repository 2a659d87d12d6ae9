package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.IfContended;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.aop.LockedMethodSettings;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

/**
 * What is configured for annotated methods. Compares annotations with it: each request with the settings, and at the
 * end of the start the names in {@code distributed-lock.locks} with those in use. A name that no annotation has may be
 * mistyped, but may also belong to a lazy bean or to a request made in code: hence a warning. A scheduled method that
 * waits causes a warning, too: it may be meant to run in every instance, one after the other.
 *
 * <p>The mutable fields are the names in use and the scheduled methods warned of, written by the threads that create
 * beans.
 */
final class ConfiguredLocks
        implements BiConsumer<Method, LockRequest>, LockedMethodSettings, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredLocks.class);

    private final ObjectProvider<DistributedLockProperties> properties;
    private final ObjectProvider<LockBackendOptions> backends;
    private final Set<String> used = ConcurrentHashMap.newKeySet();
    private final Set<Method> scheduled = ConcurrentHashMap.newKeySet();

    ConfiguredLocks(ObjectProvider<DistributedLockProperties> properties, ObjectProvider<LockBackendOptions> backends) {
        this.properties = properties;
        this.backends = backends;
    }

    @Override
    public void accept(Method method, LockRequest request) {
        used.add(request.name());
        properties.getObject().engineSettings().validate(request);
        backends.getObject().check(request);
        Duration wait = properties.getObject().waitOf(request);
        if (!wait.isZero() && isScheduled(method) && scheduled.add(method)) {
            log.warn(
                    "{}.{}() is @Scheduled and waits up to {}ms for lock '{}': every instance of the application runs it at each "
                            + "tick, one after the other. For one run per tick, leave out the annotation and call "
                            + "LockOperations.tryExecute in the method, with a LockRequest that is keptFor a minimum time. "
                            + "With waitMs = 0 and ifContended = SKIP the others skip the tick, and with atLeastMs no "
                            + "instance whose clock is behind runs a short job again",
                    ClassUtils.getShortName(method.getDeclaringClass()),
                    method.getName(),
                    wait.toMillis(),
                    request.name());
        }
    }

    @Override
    public IfContended ifContended(String name) {
        return properties.getObject().ifContended(name);
    }

    @Override
    public InTransaction inTransaction(String name) {
        return properties.getObject().inTransaction(name);
    }

    private static boolean isScheduled(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(Scheduled.class);
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<String> unused = new TreeSet<>(properties.getObject().locks().keySet());
        unused.removeAll(used);
        if (!unused.isEmpty()) {
            log.warn(
                    "distributed-lock.locks has settings for {}, and no @DistributedLock of the beans created so far has "
                            + "that name; annotations use {}. Correct the name unless LockRequest.named uses it",
                    unused,
                    new TreeSet<>(used));
        }
    }
}
