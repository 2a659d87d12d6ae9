package io.github.lockstarter.autoconfigure.zookeeper;

/** ZooKeeper could keep no locks when the application started. The message says where, and why. */
final class ZooKeeperUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ZooKeeperUnavailableException(String message) {
        super(message);
    }
}
