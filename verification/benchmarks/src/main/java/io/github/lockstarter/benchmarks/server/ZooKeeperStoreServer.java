package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Version;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/** One ZooKeeper server that syncs each write to disk. */
record ZooKeeperStoreServer(ZooKeeperServer process) implements StoreServer {

    private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)$");
    private static final int SESSION_MILLIS = 10_000;
    private static final int DELETIONS_AT_ONCE = 1_000;

    static ZooKeeperStoreServer start() {
        return new ZooKeeperStoreServer(ZooKeeperServer.startWith(List.of("-Xmx1g"), "tickTime=2000"));
    }

    @Override
    public String address() {
        return process.address();
    }

    @Override
    public String description() {
        return Version.getVersion() + " (same machine, one server, fsync)";
    }

    /** Live heap after garbage collection. */
    @Override
    public long dataSize() {
        try {
            Process jcmd = new ProcessBuilder(
                            Jdks.own().resolve("bin").resolve("jcmd").toString(),
                            Long.toString(process.pid()),
                            "GC.class_histogram")
                    .redirectErrorStream(true)
                    .start();
            String histogram = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher total = TOTAL.matcher(histogram);
            if (!total.find()) {
                throw new IllegalStateException("jcmd printed no total:\n" + histogram);
            }
            return Long.parseLong(total.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not run jcmd", e);
        }
    }

    /** Deletes all client nodes: the server removes containers of released locks only once a minute. */
    @Override
    @SuppressWarnings("try") // close() may be interrupted, as the calls before
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
}
