package io.github.lockstarter.zookeeper;

/** The path at which ZooKeeper stores a lock. */
public final class ZooKeeperTexts {

    private ZooKeeperTexts() {}

    public static String path(String key) {
        return new LockPaths("/locks", "lock:").directory(key);
    }
}
