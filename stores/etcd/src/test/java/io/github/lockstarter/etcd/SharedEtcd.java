package io.github.lockstarter.etcd;

import io.github.lockstarter.kit.server.EtcdServer;
import java.time.Duration;
import java.util.Optional;

/** One server for the test classes of a JVM, which use keys of their own; it ends with the JVM. */
final class SharedEtcd {

    private static Optional<EtcdServer> server = Optional.empty();

    private SharedEtcd() {}

    /** On a server that is started with the first call. */
    static EtcdStore store() {
        return store(EtcdStore.COMMAND_TIMEOUT);
    }

    /** The same with another command timeout. */
    static synchronized EtcdStore store(Duration commandTimeout) {
        if (server.isEmpty()) {
            EtcdServer started = EtcdServer.start("--unsafe-no-fsync");
            Runtime.getRuntime().addShutdownHook(new Thread(started::close, "end-of-etcd"));
            server = Optional.of(started);
        }
        return new EtcdStore(server.get(), commandTimeout);
    }
}
