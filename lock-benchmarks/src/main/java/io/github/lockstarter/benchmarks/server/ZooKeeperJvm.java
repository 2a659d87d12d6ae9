package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.benchmarks.jvm.ChildTask;
import io.github.lockstarter.benchmarks.measure.LiveHeap;
import org.apache.zookeeper.server.ServerConfig;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A JVM that is a ZooKeeper server. */
public final class ZooKeeperJvm implements ChildTask {

    static final String START = "start";
    static final String HEAP = "heap";

    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperJvm.class);

    /** Called by name. */
    public ZooKeeperJvm() {}

    @Override
    public String answer(String... words) throws Exception {
        return switch (words[0]) {
            case START -> start(words[1]);
            case HEAP -> Long.toString(LiveHeap.bytes());
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private static String start(String configuration) throws Exception {
        ServerConfig config = new ServerConfig();
        config.parse(configuration);
        Thread server = new Thread(() -> run(config), "zookeeper");
        server.setDaemon(true);
        server.start();
        return "started";
    }

    private static void run(ServerConfig config) {
        try {
            new ZooKeeperServerMain().runFromConfig(config);
        } catch (Exception e) {
            LOG.error("ZooKeeper has ended", e);
        }
    }
}
