package io.github.lockstarter.etcd;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.kit.server.EtcdServer;
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
    private final Optional<EtcdServer> server;

    /** On a server of another JVM, which this store cannot pause. */
    EtcdStore(String endpoint) {
        this(endpoint, Optional.empty());
    }

    EtcdStore(EtcdServer server) {
        this(server.endpoint(), Optional.of(server));
    }

    private EtcdStore(String endpoint, Optional<EtcdServer> server) {
        this.endpoint = endpoint;
        this.server = server;
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
    public Optional<Duration> commandTimeout() {
        return server.map(any -> settings(endpoint).commandTimeout());
    }

    @Override
    public void pause() {
        server.orElseThrow().pause();
    }

    @Override
    public void resume() {
        server.ifPresent(EtcdServer::resume);
    }

    @Override
    public void close() {
        backends.forEach(EtcdLockBackend::close);
    }
}
