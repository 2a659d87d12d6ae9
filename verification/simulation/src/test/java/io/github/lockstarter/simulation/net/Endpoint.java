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
 * Where a client connects to, and on what terms.
 *
 * @param time when things happen
 * @param client the client's process
 * @param scheduler the client's timer and event loop
 * @param delays gives the nanoseconds that a packet takes
 * @param master the server that is asked for, as the client can find out at the moment
 * @param commandTimeout after which the client gives a command up
 * @param heard takes each message that the client gets, before the client does
 */
public record Endpoint(
        VirtualTime time,
        Process client,
        VirtualScheduler scheduler,
        LongSupplier delays,
        Supplier<Server> master,
        Duration commandTimeout,
        Consumer<String> heard) {

    /** Opens a connection to the master; empty if it cannot be reached. */
    Optional<Wire> open(Wire.Client receiver) {
        Server server = master.get();
        return server.isReachableFor(client)
                ? Optional.of(new Wire(time, delays, server, client, receiver))
                : Optional.empty();
    }
}
