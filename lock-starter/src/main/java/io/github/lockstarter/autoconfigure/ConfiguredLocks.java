package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRequest;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Holds annotations and configuration against each other: each request against the settings, and at the end of the start
 * the names in {@code distributed-lock.locks} against those in use. A name that no annotation has may be mistyped, but
 * may also belong to a lazy bean or to a request made in code: hence a warning.
 *
 * <p>The one mutable field is the set of names in use, written by whichever thread creates a bean.
 */
final class ConfiguredLocks implements Consumer<LockRequest>, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredLocks.class);

    private final ObjectProvider<DistributedLockProperties> properties;
    private final Set<String> used = ConcurrentHashMap.newKeySet();

    ConfiguredLocks(ObjectProvider<DistributedLockProperties> properties) {
        this.properties = properties;
    }

    @Override
    public void accept(LockRequest request) {
        used.add(request.name());
        properties.getObject().validate(request);
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
