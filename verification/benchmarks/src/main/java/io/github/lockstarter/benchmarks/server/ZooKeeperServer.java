package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.benchmarks.jvm.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Version;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/**
 * One ZooKeeper server in a JVM of its own, on a free port of the loopback interface, with its defaults: it syncs each
 * write to the disk.
 */
final class ZooKeeperServer implements StoreServer {

    private static final String HEAP = "-Xmx1g";
    private static final int SESSION_MILLIS = 10_000;
    private static final int DELETIONS_AT_ONCE = 1_000;

    private final GuardedDirectory directory;
    private final ChildJvm jvm;
    private final LoopbackPort port;

    private ZooKeeperServer(GuardedDirectory directory, ChildJvm jvm, LoopbackPort port) {
        this.directory = directory;
        this.jvm = jvm;
        this.port = port;
    }

    static ZooKeeperServer start() {
        try {
            // The JVM ends as soon as its parent does: there is nothing left to end.
            GuardedDirectory directory = GuardedDirectory.create("lock-benchmarks-zookeeper-", ":");
            LoopbackPort port = LoopbackPort.free();
            ChildJvm jvm = ChildJvm.start(ZooKeeperJvm.class, HEAP);
            ZooKeeperServer server = new ZooKeeperServer(directory, jvm, port);
            try {
                jvm.ask(ZooKeeperJvm.START, configuration(directory.path(), port));
                return server;
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start ZooKeeper", e);
        }
    }

    private static Path configuration(Path directory, LoopbackPort port) throws IOException {
        return Files.write(
                directory.resolve("zoo.cfg"),
                List.of(
                        "dataDir=" + directory.resolve("data"),
                        "clientPort=" + port.number(),
                        "clientPortAddress=" + LoopbackPort.HOST,
                        "tickTime=2000",
                        "maxClientCnxns=0",
                        "admin.enableServer=false"));
    }

    @Override
    public String address() {
        return port.address();
    }

    @Override
    public String description() {
        return Version.getVersion() + " (same machine, one server, fsync)";
    }

    @Override
    public Duration cpuTime() {
        return ProcessTimes.ofTree(jvm.pid());
    }

    /** Live heap after garbage collection. */
    @Override
    public long dataSize() {
        return Long.parseLong(jvm.ask(ZooKeeperJvm.HEAP));
    }

    /**
     * Deletes all nodes of clients: containers of released locks stay until the server looks for them, once a minute.
     */
    @Override
    @SuppressWarnings("try") // close() may be interrupted, as all that is done before
    public void compact() {
        try (ZooKeeper admin = new ZooKeeper(address(), SESSION_MILLIS, event -> {})) {
            for (String child : admin.getChildren("/", false)) {
                if (!child.equals("zookeeper")) {
                    delete(admin, "/" + child);
                }
            }
        } catch (IOException | KeeperException e) {
            throw new IllegalStateException("Could not delete the nodes of clients", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while deleting the nodes of clients", e);
        }
    }

    private static void delete(ZooKeeper admin, String path) throws KeeperException, InterruptedException {
        while (admin.exists(path, false) != null) {
            try {
                ZKUtil.deleteRecursive(admin, path, DELETIONS_AT_ONCE);
            } catch (KeeperException.NoNodeException e) {
                // The server has deleted a container since it was listed.
            }
        }
    }

    @Override
    public void close() {
        jvm.close();
        directory.close();
    }
}
