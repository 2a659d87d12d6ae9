package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.StoredKeys;

/** The path at which ZooKeeper stores a lock. */
public final class ZooKeeperTexts {

    private ZooKeeperTexts() {}

    public static String path(String key) {
        return new LockPaths("/locks", new StoredKeys("lock:")).directory(key);
    }
}
