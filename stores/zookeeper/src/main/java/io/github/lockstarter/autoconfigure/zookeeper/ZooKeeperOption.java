package io.github.lockstarter.autoconfigure.zookeeper;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;

/**
 * Locks in ZooKeeper.
 *
 * @param properties its configuration
 */
record ZooKeeperOption(ZooKeeperLockProperties properties) implements LockBackendOption {

    static final String NAME = "zookeeper";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        properties.settings(locks);
    }

    @Override
    public void checkRequest(LockRequest request, String key) {
        request.atLeast().filter(time -> !time.isZero()).ifPresent(time -> {
            throw new IllegalArgumentException("Lock '" + key + "' has a minimum time of " + DurationText.exactly(time)
                    + ", and ZooKeeper keeps no lock for a minimum time. Leave atLeastMs out, or keep the lock in"
                    + " another store: distributed-lock.further-backends");
        });
    }
}
