package io.github.lockstarter.autoconfigure.zookeeper;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** A ZooKeeper that cannot keep locks: says where it is looked for, and what to change. */
final class ZooKeeperUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<ZooKeeperUnavailableException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ZooKeeperUnavailableException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Check that a majority of the servers runs, and that distributed-lock.zookeeper.connect-string names them,"
                        + " with a chroot that exists if it has one."
                        + " To start anyway and connect later, set"
                        + " distributed-lock.zookeeper.required-at-start=false. For tests without ZooKeeper set"
                        + " distributed-lock.backend=local",
                cause);
    }
}
