package io.github.lockstarter.model;

import java.util.Optional;

/**
 * Gives lock tokens and markers in a world the same names if only their names differ. Removes state without further
 * effect.
 */
record Canonical(boolean tokensMatter, int forgotten) {

    private static final int ANY_TOKEN = 0;

    SystemState of(SystemState world) {
        SystemState named = renamed(tokensMatter ? world : withoutTokens(world));
        return new SystemState(
                named.master(),
                named.replica(),
                named.deposed(),
                named.writable(),
                withoutVainRelease(named.a(), named),
                withoutVainRelease(named.b(), named),
                named.highest(),
                named.disordered());
    }

    private SystemState withoutTokens(SystemState world) {
        return new SystemState(
                world.master().withoutTokens(forgotten),
                world.replica().withoutTokens(forgotten),
                world.deposed().map(each -> each.withoutTokens(forgotten)),
                world.writable(),
                world.a().withoutTokens(ANY_TOKEN),
                world.b().withoutTokens(ANY_TOKEN),
                forgotten,
                false);
    }

    private SystemState renamed(SystemState world) {
        Names names = new Names(world);
        return new SystemState(
                names.of(world.master()),
                names.of(world.replica()),
                world.deposed().map(names::of),
                world.writable(),
                names.of(world.a()),
                names.of(world.b()),
                world.highest(),
                world.disordered());
    }

    private static Client withoutVainRelease(Client client, SystemState world) {
        Optional<SentCommand> ghost = client.ghost();
        if (ghost.isEmpty() || ghost.get().verb() != Verb.RELEASE) {
            return client;
        }
        int token = ghost.get().token();
        boolean owning = world.master().owner() == token
                || world.replica().owner() == token
                || (world.deposed().isPresent() && world.deposed().get().owner() == token);
        return owning ? client : client.withGhost(Optional.empty());
    }

    /** The new names. A marker is compared with the markers of clients only if it is from a first use. */
    private record Names(SystemState world) {

        private static final int MASTERS = 1;
        private static final int REPLICAS = 2;
        private static final int DEPOSEDS = 3;

        // From a first use, and replaced while a note of it exists.
        private static final int IN_MASTERS_NOTE = 6;
        private static final int IN_DEPOSEDS_NOTE = 7;

        int marker(int id) {
            if (id == Marker.UNKNOWN || id == Marker.GONE) {
                return id;
            }
            if (isIt(id, world.master())) {
                return MASTERS;
            }
            if (isIt(id, world.replica())) {
                return REPLICAS;
            }
            if (world.deposed().isPresent() && isIt(id, world.deposed().get())) {
                return DEPOSEDS;
            }
            if (id == world.master().note()) {
                return IN_MASTERS_NOTE;
            }
            return world.deposed().isPresent() && id == world.deposed().get().note() ? IN_DEPOSEDS_NOTE : Marker.GONE;
        }

        private static boolean isIt(int id, ServerData server) {
            return server.marker().firstUse() && server.marker().id() == id;
        }

        ServerData of(ServerData server) {
            Marker marker = server.marker();
            int owner = Owner.renamed(server.owner(), world);
            int id = marker(marker.id());
            int note = marker(server.note());
            return owner == server.owner() && id == marker.id() && note == server.note()
                    ? server
                    : new ServerData(
                            owner,
                            server.expiry(),
                            server.held(),
                            server.fence(),
                            marker.withId(id),
                            server.promoted(),
                            note,
                            server.clock());
        }

        Client of(Client client) {
            return new Client(
                    client.phase(),
                    Owner.renamed(client.token(), world),
                    client.left(),
                    client.fencing(),
                    client.age(),
                    client.repeated(),
                    client.reply().map(each -> new PendingReply(each.outcome(), each.fencing(), marker(each.marker()))),
                    client.ghost().map(this::of),
                    marker(client.marker()));
        }

        private SentCommand of(SentCommand ghost) {
            return new SentCommand(
                    ghost.verb(), Owner.renamed(ghost.token(), world), ghost.fencing(), marker(ghost.marker()));
        }
    }
}
