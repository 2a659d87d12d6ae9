package io.github.lockstarter.model.takeover;

/**
 * What happens.
 *
 * @param kind of step
 * @param server at which server; {@link Servers#NEVER} if at none
 */
record Step(Kind kind, int server) {

    enum Actor {
        TIME,
        HOLDER,
        SERVER,
        TAKER
    }

    enum Kind {
        TICK(Actor.TIME, ""),
        CONNECT(Actor.HOLDER, "connects its mailbox to %s"),
        ACKNOWLEDGED(Actor.HOLDER, "hears that its mailbox is subscribed"),
        NOTICE(Actor.HOLDER, "notices that its mailbox is closed"),
        ABANDON(Actor.HOLDER, "gives its mailbox connection up"),
        MOVE_COMMANDS(Actor.HOLDER, "sends its commands to %s from now on"),
        SEND_BEAT(Actor.HOLDER, "sends a heartbeat"),
        RECEIVE_BEAT(Actor.HOLDER, "receives the answers to its heartbeat"),
        FAIL_BEAT(Actor.HOLDER, "awaits its heartbeat no longer"),
        SEND_ACQUIRE(Actor.HOLDER, "sends acquire"),
        SEND_RENEWAL(Actor.HOLDER, "sends a renewal"),
        RECEIVE(Actor.HOLDER, "receives the answer"),
        GIVE_UP(Actor.HOLDER, "awaits the answer no longer"),
        RELEASE(Actor.HOLDER, "releases the lock"),
        EXECUTE_SUBSCRIBE(Actor.SERVER, "%s: executes SUBSCRIBE"),
        CLOSE(Actor.SERVER, "%s: closes the mailbox connection"),
        EXECUTE_OLD_SUBSCRIBE(Actor.SERVER, "%s: executes the SUBSCRIBE of the connection that was given up"),
        CLOSE_OLD(Actor.SERVER, "%s: closes the connection that was given up"),
        EXECUTE_NUMSUB(Actor.SERVER, "%s: executes NUMSUB"),
        GRANT(Actor.SERVER, "%s: grants the request"),
        GRANT_UNANSWERED(Actor.SERVER, "%s: grants the request, its answer is lost"),
        REFUSE(Actor.SERVER, "%s: refuses the request"),
        EXECUTE_RELEASE(Actor.SERVER, "%s: executes the release"),
        REPLICATE(Actor.SERVER, "the replica catches up"),
        PROMOTE(Actor.SERVER, "the replica is promoted"),
        MARK(Actor.TAKER, "asks %s: not heard, marks the lock"),
        TAKE_OVER(Actor.TAKER, "asks %s: takes the lock over"),
        ACQUIRE_FREE(Actor.TAKER, "asks %s: acquires the free lock"),
        RENEW(Actor.TAKER, "renews at %s"),
        FREE(Actor.TAKER, "releases at %s");

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

    static Step of(Kind kind) {
        return new Step(kind, Servers.NEVER);
    }

    static Step at(int server, Kind kind) {
        return new Step(kind, server);
    }

    String text(String place) {
        return String.format(kind.text, place);
    }
}
