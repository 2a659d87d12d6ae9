package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** A session of any client, which an operator ends by its number. */
final class ZooKeeperSession {

    /** From which a server derives the passwords of sessions: {@code ZooKeeperServer.generatePasswd}. */
    private static final long SECRET = 0XB3415C00L;

    private static final int TIMEOUT_MILLIS = 20_000;

    private ZooKeeperSession() {}

    /** Ends a session by taking it over from its client and closing it. No effect if it has already ended. */
    static void close(ZooKeeperServer server, long session) {
        CountDownLatch answered = new CountDownLatch(1);
        String address = server.host() + ':' + server.port();
        try {
            ZooKeeper client = new ZooKeeper(
                    address,
                    TIMEOUT_MILLIS,
                    event -> {
                        if (event.getState() != KeeperState.Disconnected) {
                            answered.countDown();
                        }
                    },
                    session,
                    password(session));
            try {
                if (!answered.await(Patience.SECONDS, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("The server on " + address + " did not answer");
                }
            } finally {
                client.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("Could not end a session", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while ending a session", e);
        }
    }

    private static byte[] password(long session) {
        byte[] password = new byte[16];
        new Random(session ^ SECRET).nextBytes(password);
        return password;
    }
}
