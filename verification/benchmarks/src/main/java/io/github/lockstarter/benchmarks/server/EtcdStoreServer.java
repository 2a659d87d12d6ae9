package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.server.EtcdServer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One etcd member with its defaults: it syncs each write to disk. */
record EtcdStoreServer(EtcdServer process) implements StoreServer {

    private static final Pattern SIZE = Pattern.compile("(?m)^etcd_mvcc_db_total_size_in_use_in_bytes ([0-9.e+]+)$");

    static EtcdStoreServer start() {
        return new EtcdStoreServer(EtcdServer.start());
    }

    @Override
    public String address() {
        return process.endpoint();
    }

    @Override
    public String description() {
        String status = process.call("/v3/maintenance/status", "{}");
        return String.join("", EtcdServer.fields(status, "version")) + " (same machine, one member, fsync)";
    }

    /** Database pages in use. */
    @Override
    public long dataSize() {
        Matcher matcher = SIZE.matcher(process.report("/metrics"));
        if (!matcher.find()) {
            throw new IllegalStateException("etcd answered without " + SIZE);
        }
        return (long) Double.parseDouble(matcher.group(1));
    }
}
