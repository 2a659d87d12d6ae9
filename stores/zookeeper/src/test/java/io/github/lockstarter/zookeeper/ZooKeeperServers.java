package io.github.lockstarter.zookeeper;

import java.util.HashMap;
import java.util.Map;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/** Servers in this JVM, for tests. */
final class ZooKeeperServers {

    /** Short, so that sessions may be: the shortest one has two ticks. */
    private static final int TICK_MILLIS = 200;

    private static final int LONGEST_SESSION_MILLIS = 60_000;

    private ZooKeeperServers() {}

    /** One server that all tests of this JVM share: it ends with the JVM. */
    static TestingServer shared() {
        return Shared.SERVER;
    }

    static TestingServer start() {
        try {
            return new TestingServer(spec(), true);
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper did not start", e);
        }
    }

    private static InstanceSpec spec() {
        return spec(TICK_MILLIS);
    }

    /** Sessions have 2 ticks or more. */
    static InstanceSpec spec(int tickMillis) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("admin.enableServer", "false");
        properties.put("maxSessionTimeout", String.valueOf(LONGEST_SESSION_MILLIS));
        return new InstanceSpec(null, -1, -1, -1, true, -1, tickMillis, 200, properties);
    }

    private static final class Shared {

        static final TestingServer SERVER = start();
    }
}
