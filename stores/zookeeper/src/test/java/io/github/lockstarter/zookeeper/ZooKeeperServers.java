package io.github.lockstarter.zookeeper;

import io.github.lockstarter.kit.server.ZooKeeperServer;

/** Servers whose sessions may last up to a minute. */
public final class ZooKeeperServers {

    static final String SESSIONS = "maxSessionTimeout=60000";

    private ZooKeeperServers() {}

    /** One server that all tests of this JVM share: it ends with the JVM. */
    public static ZooKeeperServer shared() {
        return Shared.SERVER;
    }

    static ZooKeeperServer start() {
        return ZooKeeperServer.start(SESSIONS);
    }

    private static final class Shared {

        static final ZooKeeperServer SERVER = start();
    }
}
