package io.github.lockstarter.demo.experiment.stage;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What kind of store keeps the locks of variant v3: a value of {@code distributed-lock.backend}. */
public enum Backend {
    /** Redis, in one of the {@link Topology topologies}. */
    REDIS,
    /** The five Redis servers of v4. */
    REDLOCK,
    /** A database: H2, as a server of its own. */
    JDBC,
    /** One ZooKeeper server. */
    ZOOKEEPER,
    /** One etcd server, of the {@code etcd} on the PATH. */
    ETCD;

    /**
     * The backend of that name.
     *
     * @param id such as {@code jdbc}
     * @return the backend, if there is one
     */
    public static Optional<Backend> of(String id) {
        return Arrays.stream(values())
                .filter(backend -> backend.id().equals(id))
                .findFirst();
    }

    /**
     * What it is called on the command line and in properties.
     *
     * @return such as {@code jdbc}
     */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
