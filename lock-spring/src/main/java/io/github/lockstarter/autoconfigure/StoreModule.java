package io.github.lockstarter.autoconfigure;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.util.ClassUtils;

/** The stores of this project and their modules. */
enum StoreModule {
    REDIS("lock-starter", "redis.RedisLockAutoConfiguration"),
    REDLOCK("lock-starter-redlock", "redlock.RedlockAutoConfiguration"),
    JDBC("lock-starter-jdbc", "jdbc.JdbcLockAutoConfiguration"),
    ZOOKEEPER("lock-starter-zookeeper", "zookeeper.ZooKeeperLockAutoConfiguration"),
    ETCD("lock-starter-etcd", "etcd.EtcdLockAutoConfiguration");

    private final String artifact;
    private final String autoConfiguration;

    StoreModule(String artifact, String autoConfiguration) {
        this.artifact = artifact;
        this.autoConfiguration = StoreModule.class.getPackageName() + '.' + autoConfiguration;
    }

    /** The classes that reveal the modules on the class path. */
    static Stream<String> autoConfigurations() {
        return Arrays.stream(values()).map(module -> module.autoConfiguration);
    }

    static String nameOf(String configured) {
        return configured.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
    }

    /** The default store is first; {@code local} excludes all others. */
    static Set<String> inUse(String backend, Collection<String> furtherBackends) {
        String first = nameOf(backend).isEmpty() ? defaultStore() : nameOf(backend);
        Set<String> all = new LinkedHashSet<>(Set.of(first));
        if (!first.equals(LockBackendOption.LOCAL)) {
            furtherBackends.stream().map(StoreModule::nameOf).forEach(all::add);
            all.remove(LockBackendOption.LOCAL); // LockBackendOptions rejects it
        }
        return all;
    }

    static String defaultStore() {
        List<StoreModule> present =
                Arrays.stream(values()).filter(StoreModule::isPresent).toList();
        return (present.size() == 1 ? present.get(0) : REDIS).store();
    }

    /** Empty for a store of another project. */
    static Optional<String> dependencyOf(String store) {
        return Arrays.stream(values())
                .filter(module -> module.store().equals(store))
                .map(module -> "io.github.lockstarter:" + module.artifact)
                .findAny();
    }

    private String store() {
        return name().toLowerCase(Locale.ROOT);
    }

    private boolean isPresent() {
        return ClassUtils.isPresent(autoConfiguration, StoreModule.class.getClassLoader());
    }
}
