package io.github.lockstarter.zookeeper;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.StoreCapabilities;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Locks on one server: each application has a client of its own. */
final class ZooKeeperStore implements LockStore {

    private final ZooKeeperServer server = ZooKeeperServers.shared();
    private final List<LockBackend> backends = new ArrayList<>();
    private final Duration commandTimeout;

    ZooKeeperStore() {
        this(ZooKeeperClients.COMMAND_TIMEOUT);
    }

    ZooKeeperStore(Duration commandTimeout) {
        this.commandTimeout = commandTimeout;
    }

    @Override
    public LockBackend connect() {
        LockBackend backend = ZooKeeperClients.backend(server.address(), ZooKeeperClients.SESSION, commandTimeout);
        backends.add(backend);
        return backend;
    }

    @Override
    public boolean hasLeasesPerLock() {
        return false;
    }

    @Override
    public StoreCapabilities capabilities() {
        return ZooKeeperLockBackend.CAPABILITIES;
    }

    /** The first node of the line has the lock, even before its instance detects it. */
    @Override
    public boolean letsNewcomersIn() {
        return false;
    }

    /** ZooKeeper numbers its transactions itself. */
    @Override
    public boolean exceedsAnyFencingToken() {
        return false;
    }

    @Override
    public Optional<Duration> commandTimeout() {
        return Optional.of(commandTimeout);
    }

    @Override
    public void pause() {
        server.pause();
    }

    @Override
    public void resume() {
        server.resume();
    }

    @Override
    public void close() {
        // The client sleeps for 100 ms in its close. No test waits for that: each has keys of its own.
        backends.forEach(backend -> new Thread(backend::close, "end-of-session").start());
    }
}
