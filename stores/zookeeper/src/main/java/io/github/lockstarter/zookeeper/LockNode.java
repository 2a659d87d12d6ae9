package io.github.lockstarter.zookeeper;

/**
 * A node in the queue of a lock.
 *
 * @param path unique: the name has a random part, or the number of the node that it has replaced
 * @param czxid number of the transaction that created it: the fencing token if it gets the lock
 * @param session that created it and with which it ends
 */
record LockNode(String path, long czxid, long session) {

    /** Number and session of a replacement, until it is read. */
    static final long UNKNOWN = 0;

    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    String directory() {
        return path.substring(0, path.lastIndexOf('/'));
    }
}
