package io.github.lockstarter.model;

/** Effects of the Lua scripts on the lock, or another one. Each is atomic, and reaches a replica as a whole. */
record ScriptEffects(Rules rules) {

    Answer execute(ServerData server, SentCommand request) {
        return switch (request.verb()) {
            case ACQUIRE -> acquire(server, request);
            case RENEW -> renew(look(server, request.marker()), request);
            case RELEASE -> release(server, request);
        };
    }

    /** The check of the history. Each renewal starts with it, and each acquire without a note. */
    private ServerData look(ServerData server, int known) {
        ServerData looked = compared(server, known);
        boolean notes = rules.has(
                isYoungerThan(rules.grace(), looked) ? Variation.NOTE_OF_YOUNG_HISTORY : Variation.NOTE_OF_ANY_LOOK);
        return notes && isKnown(looked, known) ? looked.withNote(known) : looked;
    }

    /** Compares histories, and begins a new one if they differ. */
    private ServerData compared(ServerData server, int known) {
        if (rules.has(Variation.NO_GUARD)) {
            return server;
        }
        Marker marker = server.marker();
        boolean callerWasHere = known != Marker.UNKNOWN;
        if (!marker.isPresent()) {
            boolean unused = !callerWasHere
                    && (!server.promoted() || rules.has(Variation.TRUSTING_FIRST_USE))
                    && !rules.has(Variation.STRICT_FIRST_USE);
            return server.with(Marker.written(unused ? rules.oldAge() : 0, unused));
        }
        boolean contradicts =
                marker.firstUse() && callerWasHere && known != marker.id() && !rules.has(Variation.FIRST_USE_FOR_ALL);
        return marker.foreign() || contradicts ? server.with(Marker.written(0, false)) : server;
    }

    /** With a note of the caller's marker, accesses only the lock and the counter. */
    private Answer acquire(ServerData asked, SentCommand request) {
        int known = request.marker();
        boolean noted = isNoted(asked, known);
        ServerData server = noted ? asked : look(asked, known);
        int marker = noted ? known : server.marker().id();
        if (server.owner() == request.token()) {
            return new Answer(server, ScriptOutcome.GRANTED, marker, server.held(), false);
        }
        if (server.owner() != Owner.NOBODY || (!noted && isYoungerThan(rules.grace(), server))) {
            return new Answer(server, ScriptOutcome.REFUSED, marker, 0, false);
        }
        ServerData granted = noted ? server.withFence(server.fence() + 1) : grants(server, known);
        int fencing = granted.fence();
        return new Answer(
                granted.grantedTo(request.token(), rules.lease(), fencing),
                ScriptOutcome.GRANTED,
                marker,
                fencing,
                true);
    }

    /** All locks of a server have the same marker, note and counter. */
    ServerData acquireAnother(ServerData asked, int known) {
        if (isNoted(asked, known)) {
            return asked.withFence(asked.fence() + 1);
        }
        ServerData server = look(asked, known);
        return isYoungerThan(rules.grace(), server) ? server : grants(server, known);
    }

    private boolean isNoted(ServerData server, int known) {
        return server.note() != Marker.UNKNOWN && (server.note() == known || rules.has(Variation.NOTE_FOR_ALL));
    }

    /** Assigns a fencing token after a check of the history, and leaves a note of it. */
    private ServerData grants(ServerData looked, int known) {
        ServerData granted = looked.withFence(Fencing.next(looked.fence(), looked.clock()));
        return isKnown(looked, known) ? granted.withNote(known) : granted;
    }

    /** Markers with a grace are all alike: for every client, a check finds the same. */
    private boolean isKnown(ServerData server, int known) {
        return server.marker().id() == known && !rules.has(Variation.NO_GUARD);
    }

    private Answer renew(ServerData server, SentCommand request) {
        if (isYoungerThan(rules.quiet(), server)) {
            return Answer.of(server, ScriptOutcome.DEFERRED);
        }
        if (server.owner() == request.token()) {
            return Answer.of(server.leasedFor(Math.max(server.expiry(), rules.lease())), ScriptOutcome.RENEWED);
        }
        if (isYoungerThan(rules.grace(), server) && isReclaimable(server, request)) {
            ServerData reclaimed = server.grantedTo(request.token(), rules.lease(), request.fencing());
            int fence = Math.max(server.fence(), request.fencing());
            return Answer.of(
                    rules.has(Variation.NO_FENCE_FLOOR) ? reclaimed : reclaimed.withFence(fence),
                    ScriptOutcome.RENEWED);
        }
        return Answer.of(server, ScriptOutcome.LOST);
    }

    private boolean isReclaimable(ServerData server, SentCommand request) {
        return server.owner() == Owner.NOBODY
                || (rules.has(Variation.RECLAIM_FROM_OLDER) && server.held() < request.fencing());
    }

    private static Answer release(ServerData server, SentCommand request) {
        return Answer.of(server.owner() == request.token() ? server.freed() : server, ScriptOutcome.RELEASED);
    }

    private boolean isYoungerThan(int age, ServerData server) {
        return !rules.has(Variation.NO_GUARD) && server.marker().age() < age;
    }
}
