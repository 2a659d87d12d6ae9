package io.github.lockstarter.etcd;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.StoreCapabilities;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Locks in one etcd: each application has connections of its own. */
final class EtcdStore implements LockStore {

    static final String PREFIX = "lock:";

    private final Queue<EtcdLockBackend> backends = new ConcurrentLinkedQueue<>();
    private final String endpoint;

    EtcdStore(String endpoint) {
        this.endpoint = endpoint;
    }

    static EtcdSettings settings(String endpoint) {
        return new EtcdSettings(
                PREFIX,
                List.of(EtcdSettings.endpoint(endpoint)),
                Optional.empty(),
                Optional.empty(),
                Duration.ofSeconds(2));
    }

    @Override
    public LockBackend connect() {
        EtcdLockBackend backend = new EtcdLockBackend(settings(endpoint));
        backends.add(backend);
        return backend;
    }

    @Override
    public StoreCapabilities capabilities() {
        return EtcdLockBackend.CAPABILITIES;
    }

    @Override
    public void close() {
        backends.forEach(EtcdLockBackend::close);
    }
}
