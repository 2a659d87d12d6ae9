package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.ForwardingBackend;

/** Locks of another store with a configurable report about crash takeover. */
final class CrashTakeoverStore extends ForwardingBackend {

    private final CrashTakeover report;

    CrashTakeoverStore(LockBackend store, CrashTakeover report) {
        super(store);
        this.report = report;
    }

    @Override
    public CrashTakeover crashTakeover() {
        return report;
    }
}
