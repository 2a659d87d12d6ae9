package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Lane;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.process.ServerProcess;
import java.util.List;
import java.util.function.Consumer;

/** Faults of a server's process: it dies or is paused. */
final class ServerFaults {

    private ServerFaults() {}

    static List<Fault> all() {
        return List.of(
                fault(
                        "server-blinked",
                        "SIGSTOP of a server for less than a command timeout",
                        Terms.lasting(20, 250),
                        lasting(ServerProcess::pause, ServerProcess::resume)),
                fault(
                        "server-paused",
                        "SIGSTOP of a server",
                        Terms.lasting(100, 2500).doing(Harm.SILENCES),
                        lasting(ServerProcess::pause, ServerProcess::resume)),
                fault(
                        "server-killed",
                        "kill -9 of a server; it comes back with its data",
                        Terms.lasting(100, 1500, Trait.DURABLE).doing(Harm.SILENCES),
                        lasting(ServerProcess::kill, ServerProcess::restart)),
                fault(
                        "server-restarted",
                        "SIGTERM of a server; it comes back with its data",
                        Terms.lasting(100, 800, Trait.DURABLE).doing(Harm.SILENCES),
                        lasting(ServerProcess::stop, ServerProcess::restart)));
    }

    private static Injection lasting(Consumer<ServerProcess> harm, Consumer<ServerProcess> heal) {
        return site -> {
            ServerProcess server = site.server();
            harm.accept(server);
            return () -> heal.accept(server);
        };
    }

    static Fault fault(String name, String description, Terms terms, Injection injection) {
        return new Fault(name, description, Lane.SERVER, terms, injection);
    }
}
