package io.github.lockstarter.model.takeover;

/**
 * A step.
 *
 * @param server {@link ServerPair#NEVER} if none
 * @param lock -1 if none
 */
record TakeoverStep(Kind kind, int server, int lock) {

    private static final int NONE = -1;

    enum Actor {
        TIME,
        HOLDER,
        SERVER,
        TAKER
    }

    enum Kind {
        TICK(Actor.TIME, ""),
        SEND_BEAT(Actor.HOLDER, "sends a beat"),
        RECEIVE_BEAT(Actor.HOLDER, "receives the answer to its beat"),
        RECEIVE_LATER_BEAT(Actor.HOLDER, "receives the answer to its later beat"),
        LOSE_BEAT(Actor.HOLDER, "awaits its beat no longer"),
        SEND_ACQUIRE(Actor.HOLDER, "sends acquire%s"),
        SEND_RENEWAL(Actor.HOLDER, "sends a renewal%s"),
        RECEIVE(Actor.HOLDER, "receives the answer%s"),
        GIVE_UP(Actor.HOLDER, "awaits the answer%s no longer"),
        RELEASE(Actor.HOLDER, "releases the lock%s"),
        EXECUTE_BEAT(Actor.SERVER, "%s: executes the beat"),
        EXECUTE_LATER_BEAT(Actor.SERVER, "%s: executes the later beat"),
        GRANT_ACQUIRE(Actor.SERVER, "%s: grants the acquire%s"),
        GRANT_RENEWAL(Actor.SERVER, "%s: grants a renewal%s"),
        REFUSE(Actor.SERVER, "%s: refuses a renewal%s"),
        EXECUTE_RELEASE(Actor.SERVER, "%s: executes the release%s"),
        REPLICATE(Actor.SERVER, "the replica catches up"),
        SAVE(Actor.SERVER, "the server saves its data"),
        PROMOTE(Actor.SERVER, "the replica is promoted"),
        RESTART(Actor.SERVER, "the server restarts with the data that it has saved"),
        RESTART_EMPTY(Actor.SERVER, "the server restarts without data"),
        MARK(Actor.TAKER, "asks %s: no subscriber of the mailbox, writes the mark"),
        TRACE(Actor.TAKER, "asks %s: writes the trace"),
        ACKNOWLEDGE(Actor.TAKER, "has the trace of %s acknowledged"),
        TAKEOVER(Actor.TAKER, "asks %s: takes over the lock%s"),
        ACQUIRE_FREE(Actor.TAKER, "asks %s: acquires the free lock%s"),
        RENEW(Actor.TAKER, "renews at %s the lock%s"),
        FREE(Actor.TAKER, "releases at %s the lock%s");

        private final Actor actor;
        private final String text;

        Kind(Actor actor, String text) {
            this.actor = actor;
            this.text = text;
        }

        Actor actor() {
            return actor;
        }
    }

    static TakeoverStep of(Kind kind) {
        return new TakeoverStep(kind, ServerPair.NEVER, NONE);
    }

    static TakeoverStep of(Kind kind, int lock) {
        return new TakeoverStep(kind, ServerPair.NEVER, lock);
    }

    static TakeoverStep at(int server, Kind kind) {
        return new TakeoverStep(kind, server, NONE);
    }

    static TakeoverStep at(int server, Kind kind, int lock) {
        return new TakeoverStep(kind, server, lock);
    }

    String text(String place, int locks) {
        String which = locks == 1 || lock == NONE ? "" : lock == 0 ? " A" : " B";
        return server == ServerPair.NEVER ? String.format(kind.text, which) : String.format(kind.text, place, which);
    }
}
