package io.github.lockstarter.simulation.net;

import io.github.lockstarter.simulation.time.Process;
import io.github.lockstarter.simulation.time.VirtualScheduler;
import io.github.lockstarter.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The environment of a client.
 *
 * @param client the client's process
 * @param scheduler the client's timer and event loop
 * @param delays of packets in ns
 * @param master the current master, as far as the client can detect
 * @param commandTimeout after which the client gives a command up
 * @param received gets each message before the client
 */
public record Endpoint(
        VirtualTime time,
        Process client,
        VirtualScheduler scheduler,
        LongSupplier delays,
        Supplier<Server> master,
        Duration commandTimeout,
        Consumer<String> received) {

    /** Opens a connection to the master; empty if it cannot be reached. */
    Optional<Wire> open(Wire.Client receiver) {
        Server server = master.get();
        return server.isReachableFor(client)
                ? Optional.of(new Wire(time, delays, server, client, receiver))
                : Optional.empty();
    }
}
