package io.github.lockstarter.autoconfigure.etcd;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.etcd.EtcdLockBackend;
import java.time.Duration;
import java.util.Optional;

/**
 * Locks in etcd.
 *
 * @param properties its configuration
 */
record EtcdOption(EtcdLockProperties properties) implements LockBackendOption {

    static final String NAME = "etcd";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        properties.settings(locks, Optional.empty());
        if (locks.backendsInUse().contains(NAME)) {
            check(locks.lease(), "distributed-lock.lease");
        }
        if (locks.backend().equals(NAME)) {
            locks.leases().forEach((name, lease) -> check(lease, "distributed-lock.locks." + name + ".lease"));
        }
    }

    @Override
    public void checkRequest(LockRequest request, String key) {
        request.lease().ifPresent(lease -> check(lease, "the lease of lock '" + key + "'"));
    }

    private static void check(Duration lease, String where) {
        if (lease.compareTo(EtcdLockBackend.SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException(
                    where + " is " + DurationText.exactly(lease) + ", but etcd keeps no lease below "
                            + DurationText.exactly(EtcdLockBackend.SHORTEST_LEASE) + ": set it to that or more");
        }
    }
}
