package io.github.lockstarter.zookeeper;

/**
 * A node of this instance in the line of a lock.
 *
 * @param path where it is; never the path of another node, since the name has a part made at random, or the number of
 *     the node that it has replaced
 * @param czxid number of the transaction that created it: the fencing token if the node gets the lock
 * @param session the session that created it, with which it ends
 */
record LockNode(String path, long czxid, long session) {

    /** Of a node that has replaced another one, until it is written. */
    static final long UNKNOWN = 0;

    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    String directory() {
        return path.substring(0, path.lastIndexOf('/'));
    }
}
