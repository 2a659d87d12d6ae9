package io.github.lockstarter.model;

/** What the Lua scripts do with one lock. Each is atomic, and reaches a replica as a whole. */
record Scripts(Rules rules) {

    Answer execute(Server server, Request request) {
        return switch (request.verb()) {
            case ACQUIRE -> acquire(server, request);
            case RENEW -> renew(look(server, request.marker()), request);
            case RELEASE -> release(server, request);
        };
    }

    /** Compares histories, and begins a new one if they differ. Each acquire and renew does this first. */
    Server look(Server server, int known) {
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

    /** A server with a note is asked for no more than the lock and the counter. */
    private Answer acquire(Server asked, Request request) {
        Server server = asked.noted() ? asked : look(asked, request.marker());
        if (server.owner() == request.token()) {
            return new Answer(server, Outcome.GRANTED, server.held(), false);
        }
        if (server.owner() != Owner.NOBODY || (!asked.noted() && isYoungerThan(rules.grace(), server))) {
            return Answer.of(server, Outcome.REFUSED);
        }
        boolean withoutClock = asked.noted() || rules.has(Variation.NOTE_WITHOUT_CLOCK);
        int fencing = withoutClock ? server.fence() + 1 : Fencing.next(server.fence(), server.clock());
        Server granted = server.withFence(fencing)
                .grantedTo(request.token(), rules.lease(), fencing)
                .noted(!rules.has(Variation.NO_GUARD));
        return new Answer(granted, Outcome.GRANTED, fencing, true);
    }

    private Answer renew(Server server, Request request) {
        if (isYoungerThan(rules.quiet(), server)) {
            return Answer.of(server, Outcome.DEFERRED);
        }
        if (server.owner() == request.token()) {
            return Answer.of(server.leasedFor(Math.max(server.expiry(), rules.lease())), Outcome.RENEWED);
        }
        if (isYoungerThan(rules.grace(), server) && isReclaimable(server, request)) {
            Server reclaimed = server.grantedTo(request.token(), rules.lease(), request.fencing());
            int fence = Math.max(server.fence(), request.fencing());
            return Answer.of(
                    rules.has(Variation.NO_FENCE_FLOOR) ? reclaimed : reclaimed.withFence(fence), Outcome.RENEWED);
        }
        return Answer.of(server, Outcome.LOST);
    }

    private boolean isReclaimable(Server server, Request request) {
        return server.owner() == Owner.NOBODY
                || (rules.has(Variation.RECLAIM_FROM_OLDER) && server.fence() < request.fencing());
    }

    private static Answer release(Server server, Request request) {
        return Answer.of(server.owner() == request.token() ? server.freed() : server, Outcome.RELEASED);
    }

    private boolean isYoungerThan(int age, Server server) {
        return !rules.has(Variation.NO_GUARD) && server.marker().age() < age;
    }
}
