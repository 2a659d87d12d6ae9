package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.Version;

/** One ZooKeeper server that syncs each write to disk. */
record ZooKeeperStoreServer(ZooKeeperServer process) implements StoreServer {

    private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)$");

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
}
