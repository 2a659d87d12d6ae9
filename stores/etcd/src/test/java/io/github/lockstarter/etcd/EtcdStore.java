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

    /** Outlasts a stall of a busy machine. */
    static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);

    private final Queue<EtcdLockBackend> backends = new ConcurrentLinkedQueue<>();
    private final String endpoint;
    private final Optional<EtcdServer> server;
    private final Duration commandTimeout;

    /** On a server of another JVM, which this store cannot pause. */
    EtcdStore(String endpoint) {
        this(endpoint, Optional.empty(), COMMAND_TIMEOUT);
    }

    EtcdStore(EtcdServer server) {
        this(server, COMMAND_TIMEOUT);
    }

    EtcdStore(EtcdServer server, Duration commandTimeout) {
        this(server.endpoint(), Optional.of(server), commandTimeout);
    }

    private EtcdStore(String endpoint, Optional<EtcdServer> server, Duration commandTimeout) {
        this.endpoint = endpoint;
        this.server = server;
        this.commandTimeout = commandTimeout;
    }

    static EtcdSettings settings(String endpoint) {
        return settings(endpoint, COMMAND_TIMEOUT);
    }

    static EtcdSettings settings(String endpoint, Duration commandTimeout) {
        return new EtcdSettings(
                PREFIX, List.of(EtcdSettings.endpoint(endpoint)), Optional.empty(), Optional.empty(), commandTimeout);
    }

    @Override
    public LockBackend connect() {
        return connect(commandTimeout);
    }

    LockBackend connect(Duration timeout) {
        EtcdLockBackend backend = new EtcdLockBackend(settings(endpoint, timeout));
        backends.add(backend);
        return backend;
    }

    @Override
    public Signals signals() {
        return Signals.TO_ALL;
    }

    @Override
    public StoreCapabilities capabilities() {
        return EtcdLockBackend.CAPABILITIES;
    }

    @Override
    public Optional<Duration> commandTimeout() {
        return server.map(any -> commandTimeout);
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
