package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.benchmarks.jvm.ChildTask;
import io.github.lockstarter.benchmarks.measure.LiveHeap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.ServerConfig;
import org.apache.zookeeper.server.ZooKeeperServerMain;

/** A JVM that is a ZooKeeper server. */
public final class ZooKeeperJvm implements ChildTask {

    static final String START = "start";
    static final String HEAP = "heap";

    private static final long PATIENCE_SECONDS = 30;

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
        Server server = new Server();
        Thread thread = new Thread(() -> server.runUntilItEnds(config), "zookeeper");
        thread.setDaemon(true);
        thread.start();
        return server.started.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Says when it accepts connections, or why it does not. */
    private static final class Server extends ZooKeeperServerMain {

        private final CompletableFuture<String> started = new CompletableFuture<>();

        void runUntilItEnds(ServerConfig config) {
            try {
                runFromConfig(config);
            } catch (Exception e) {
                started.completeExceptionally(e);
            }
        }

        @Override
        protected void serverStarted() {
            started.complete("started");
        }
    }
}
