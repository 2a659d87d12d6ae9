package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.process.Sleep;
import io.github.lockstarter.kit.process.ServerProcess;
import java.time.Duration;
import java.util.List;

/** Kills servers (SIGKILL), and starts them again after a moment. */
final class Outage {

    private static final Duration LENGTH = Duration.ofMillis(300);

    private Outage() {}

    /** One that does not come back keeps no other from coming back. */
    static void of(List<? extends ServerProcess> servers) {
        servers.forEach(ServerProcess::kill);
        Sleep.lasting(LENGTH);
        RuntimeException failure = null;
        for (ServerProcess server : servers) {
            try {
                server.restart();
            } catch (RuntimeException notBack) {
                failure = notBack;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
