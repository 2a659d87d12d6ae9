package io.github.lockstarter.contract;

import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.SettableClock;
import java.util.Optional;

/** Locks of this JVM: applications share one backend. */
final class LocalStore implements LockStore {

    private final SettableClock clock = new SettableClock();
    private final LocalLockBackend backend = new LocalLockBackend(clock::nanos);

    @Override
    public LockBackend connect() {
        return backend;
    }

    @Override
    public Optional<SettableClock> clock() {
        return Optional.of(clock);
    }

    @Override
    public boolean remembersReleases() {
        return true;
    }

    @Override
    public void close() {
        backend.close();
    }
}
