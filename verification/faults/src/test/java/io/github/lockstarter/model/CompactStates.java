package io.github.lockstarter.model;

import java.util.Optional;

/** Worlds as numbers of their parts. */
final class CompactStates implements Compaction<SystemState, CompactStates.Compact> {

    private final Interned<ServerData> servers = new Interned<>(ServerData::mirrored);
    private final Interned<Optional<ServerData>> deposed = new Interned<>(each -> each.map(ServerData::mirrored));
    private final Interned<Client> clients = new Interned<>(Client::mirrored);
    private final boolean clientsAreAlike;

    /**
     * Worlds.
     *
     * @param clientsAreAlike whether worlds that differ in nothing but which client is which count as one; a way found
     *     so mixes the clients up
     */
    CompactStates(boolean clientsAreAlike) {
        this.clientsAreAlike = clientsAreAlike;
    }

    /** A world as numbers of its known parts. */
    record Compact(int master, int replica, int deposed, int a, int b, int writable, int highest, boolean disordered) {

        boolean isBefore(Compact other) {
            int order = Integer.compare(a, other.a);
            order = order != 0 ? order : Integer.compare(b, other.b);
            order = order != 0 ? order : Integer.compare(master, other.master);
            order = order != 0 ? order : Integer.compare(replica, other.replica);
            order = order != 0 ? order : Integer.compare(deposed, other.deposed);
            return order < 0;
        }

        // The search compares states; a record's own equals is slow without the optimizing compiler.
        @Override
        public boolean equals(Object object) {
            return object instanceof Compact other
                    && a == other.a
                    && b == other.b
                    && master == other.master
                    && replica == other.replica
                    && deposed == other.deposed
                    && writable == other.writable
                    && highest == other.highest
                    && disordered == other.disordered;
        }

        @Override
        public int hashCode() {
            int parts = (((master * 1009 + replica) * 1009 + deposed) * 8191 + a) * 8191 + b;
            return (parts * 31 + writable) * 31 + highest;
        }
    }

    @Override
    public Compact compact(SystemState world) {
        Compact compact = numbered(world);
        if (!clientsAreAlike) {
            return compact;
        }
        Compact mirrored = mirrored(compact);
        return compact.isBefore(mirrored) ? compact : mirrored;
    }

    private Compact mirrored(Compact compact) {
        return new Compact(
                servers.mirrorOf(compact.master()),
                servers.mirrorOf(compact.replica()),
                deposed.mirrorOf(compact.deposed()),
                clients.mirrorOf(compact.b()),
                clients.mirrorOf(compact.a()),
                compact.writable(),
                compact.highest(),
                compact.disordered());
    }

    private Compact numbered(SystemState world) {
        return new Compact(
                servers.numberOf(world.master()),
                servers.numberOf(world.replica()),
                deposed.numberOf(world.deposed()),
                clients.numberOf(world.a()),
                clients.numberOf(world.b()),
                world.writable(),
                world.highest(),
                world.disordered());
    }

    @Override
    public SystemState world(Compact state) {
        return new SystemState(
                servers.value(state.master()),
                servers.value(state.replica()),
                deposed.value(state.deposed()),
                state.writable(),
                clients.value(state.a()),
                clients.value(state.b()),
                state.highest(),
                state.disordered());
    }
}
