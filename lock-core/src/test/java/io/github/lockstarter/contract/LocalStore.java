package io.github.lockstarter.contract;

import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.LockBackend;

/** Locks of this JVM: applications share one backend. */
final class LocalStore implements LockStore {

    private final LocalLockBackend backend = new LocalLockBackend();

    @Override
    public LockBackend connect() {
        return backend;
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
