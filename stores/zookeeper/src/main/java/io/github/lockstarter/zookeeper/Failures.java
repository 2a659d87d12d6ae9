package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.client.ConnectStringParser;

/** Classifies failures of the client, and converts them to results with an unknown outcome. Stateless. */
final class Failures {

    static final String QUEUE_DELETED =
            "The container of the lock was deleted in ZooKeeper before the attempt was in it,"
                    + " several times in a row. The servers delete empty containers; check that no other program does";

    private Failures() {}

    static CompletionException withoutProof() {
        return new CompletionException(new TimeoutException("no answer of a majority of the servers"));
    }

    /** No answer, or no connection. */
    static boolean isSilence(Throwable failure) {
        return failure instanceof TimeoutException
                || failure instanceof KeeperException.ConnectionLossException
                || failure instanceof KeeperException.OperationTimeoutException
                || failure instanceof KeeperException.RequestTimeoutException;
    }

    static String withoutChroot(CuratorFramework client) {
        String connectString = client.getZookeeperClient().getCurrentConnectionString();
        return "The chroot '" + new ConnectStringParser(connectString).getChrootPath() + "' of the connect string '"
                + connectString
                + "' does not exist in ZooKeeper. Create it there, or take it out of the connect string";
    }

    static String told(Throwable failure) {
        Throwable cause = BackendGuard.causeOf(failure);
        return cause instanceof KeeperException keeper
                ? "ZooKeeper answered " + keeper.code()
                : "the ZooKeeper client failed: " + cause;
    }

    static AcquireResult ofAcquire(Throwable failure) {
        return new AcquireResult.Unknown(
                "The attempt in ZooKeeper has no certain outcome: " + told(failure)
                        + ". Check that a majority of the servers can be reached",
                BackendGuard.causeOf(failure));
    }

    static RenewResult ofRenew(Throwable failure) {
        return new RenewResult.Unknown(
                "The session with ZooKeeper is in doubt: " + told(failure), BackendGuard.causeOf(failure));
    }

    static ReleaseResult ofRelease(Throwable failure) {
        return new ReleaseResult.Unknown(
                "The release in ZooKeeper has no certain outcome: " + told(failure), BackendGuard.causeOf(failure));
    }

    static StoredLock ofInspect(Throwable failure) {
        return new StoredLock.Unknown("ZooKeeper did not tell: " + told(failure));
    }

    static Revocation ofRevoke(Throwable failure) {
        return new Revocation.Unknown("The revocation in ZooKeeper has no certain outcome: " + told(failure));
    }
}
