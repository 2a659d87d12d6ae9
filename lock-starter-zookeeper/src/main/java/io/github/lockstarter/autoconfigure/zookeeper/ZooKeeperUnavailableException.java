package io.github.lockstarter.autoconfigure.zookeeper;

/** ZooKeeper did not answer when the application started. The message says where it was looked for. */
final class ZooKeeperUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ZooKeeperUnavailableException(String message) {
        super(message);
    }
}
