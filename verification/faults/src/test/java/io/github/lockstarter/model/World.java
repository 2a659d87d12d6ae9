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
record World(
        Server master,
        Server replica,
        Optional<Server> deposed,
        int writable,
        Client a,
        Client b,
        int highest,
        boolean disordered) {

    Client client(int index) {
        return index == 0 ? a : b;
    }

    World with(int index, Client client) {
        return new World(
                master,
                replica,
                deposed,
                writable,
                index == 0 ? client : a,
                index == 0 ? b : client,
                highest,
                disordered);
    }

    World withMaster(Server server) {
        return new World(server, replica, deposed, writable, a, b, highest, disordered);
    }

    World withDeposed(Server server) {
        return new World(master, replica, Optional.of(server), writable, a, b, highest, disordered);
    }

    World withReplica(Server copy) {
        return new World(master, copy, deposed, writable, a, b, highest, disordered);
    }

    World promoted(int window, int clock, int newHighest) {
        Server promoted = replica.promoted(clock);
        return new World(promoted, promoted, Optional.of(master), window, a, b, newHighest, disordered);
    }

    /** A hold begins, perhaps. */
    World granted(int fencing) {
        return exceeding(fencing, disordered || fencing <= highest);
    }

    /** The holds from now on must exceed this fencing token too. */
    World exceeding(int fencing) {
        return exceeding(fencing, disordered);
    }

    private World exceeding(int fencing, boolean nowDisordered) {
        int higher = Math.max(highest, fencing);
        return new World(master, replica, deposed, writable, a, b, higher, nowDisordered);
    }

    World tick(Rules rules, int forgotten) {
        boolean goesOn = deposed.isPresent() && writable > 0;
        return new World(
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
