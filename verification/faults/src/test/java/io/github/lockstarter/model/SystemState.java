package io.github.lockstarter.model;

import java.util.Optional;

/**
 * A state of the whole system.
 *
 * @param master the server that new commands reach
 * @param replica the master at some earlier time
 * @param deposed the previous master; empty if it no longer executes commands
 * @param writable ticks for which the deposed master continues
 * @param a a client
 * @param b the other client
 * @param highest the fencing token that the next hold must exceed
 * @param disordered whether a hold did not exceed it
 */
record SystemState(
        ServerData master,
        ServerData replica,
        Optional<ServerData> deposed,
        int writable,
        Client a,
        Client b,
        int highest,
        boolean disordered) {

    Client client(int index) {
        return index == 0 ? a : b;
    }

    SystemState with(int index, Client client) {
        return new SystemState(
                master,
                replica,
                deposed,
                writable,
                index == 0 ? client : a,
                index == 0 ? b : client,
                highest,
                disordered);
    }

    SystemState withMaster(ServerData server) {
        return new SystemState(server, replica, deposed, writable, a, b, highest, disordered);
    }

    SystemState withDeposed(ServerData server) {
        return new SystemState(master, replica, Optional.of(server), writable, a, b, highest, disordered);
    }

    SystemState withReplica(ServerData copy) {
        return new SystemState(master, copy, deposed, writable, a, b, highest, disordered);
    }

    SystemState promoted(int window, int clock, int newHighest) {
        ServerData promoted = replica.promoted(clock);
        return new SystemState(promoted, promoted, Optional.of(master), window, a, b, newHighest, disordered);
    }

    /** A hold begins, perhaps. */
    SystemState granted(int fencing) {
        return exceeding(fencing, disordered || fencing <= highest);
    }

    /** The holds from now on must exceed this fencing token too. */
    SystemState exceeding(int fencing) {
        return exceeding(fencing, disordered);
    }

    private SystemState exceeding(int fencing, boolean nowDisordered) {
        int higher = Math.max(highest, fencing);
        return new SystemState(master, replica, deposed, writable, a, b, higher, nowDisordered);
    }

    SystemState tick(Rules rules, int forgotten) {
        boolean goesOn = deposed.isPresent() && writable > 0;
        return new SystemState(
                master.tick(rules.oldAge(), forgotten),
                replica.tick(rules.oldAge(), forgotten),
                goesOn ? deposed.map(each -> each.tick(rules.oldAge(), forgotten)) : Optional.empty(),
                goesOn ? writable - 1 : 0,
                a.tick(rules, forgotten),
                b.tick(rules, forgotten),
                Fencing.tick(highest, forgotten),
                disordered);
    }
}
