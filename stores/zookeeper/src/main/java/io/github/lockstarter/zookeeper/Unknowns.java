package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;

/** The result of each command that may have been executed, and of which no more is known. Stateless. */
final class Unknowns {

    private Unknowns() {}

    static AcquireResult acquire(Throwable failure) {
        return new AcquireResult.Unknown(
                "The attempt in ZooKeeper has no certain outcome: " + Failures.told(failure)
                        + ". Check that a majority of the servers can be reached",
                Failures.causeOf(failure));
    }

    static RenewResult renew(Throwable failure) {
        return new RenewResult.Unknown(
                "The session with ZooKeeper is in doubt: " + Failures.told(failure), Failures.causeOf(failure));
    }

    static ReleaseResult release(Throwable failure) {
        return new ReleaseResult.Unknown(
                "The release in ZooKeeper has no certain outcome: " + Failures.told(failure),
                Failures.causeOf(failure));
    }

    static StoredLock inspect(Throwable failure) {
        return new StoredLock.Unknown("ZooKeeper did not tell: " + Failures.told(failure));
    }

    static Revocation revoke(Throwable failure) {
        return new Revocation.Unknown("The revocation in ZooKeeper has no certain outcome: " + Failures.told(failure));
    }
}
