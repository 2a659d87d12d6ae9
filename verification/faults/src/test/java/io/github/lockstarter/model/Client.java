package io.github.lockstarter.model;

import java.util.Optional;

/**
 * One instance of an application. At most two of its commands are under way: the one that it awaits, and one that it no
 * longer awaits.
 *
 * @param phase what it has and awaits
 * @param token the lock token of its attempt or hold
 * @param left ticks until the deadline of its hold
 * @param fencing the fencing token of its hold
 * @param age ticks since the awaited command was sent
 * @param repeated whether the awaited command was executed, and is sent again because its answer was lost
 * @param reply the answer to the awaited command, under way
 * @param ghost the command that it no longer awaits
 * @param marker id of the marker that it saw last
 */
record Client(
        ClientPhase phase,
        int token,
        int left,
        int fencing,
        int age,
        boolean repeated,
        Optional<PendingReply> reply,
        Optional<SentCommand> ghost,
        int marker) {

    static Client whoKnows(int marker) {
        return idle(Optional.empty(), marker);
    }

    private static Client idle(Optional<SentCommand> ghost, int marker) {
        return new Client(ClientPhase.IDLE, Owner.NOBODY, 0, 0, 0, false, Optional.empty(), ghost, marker);
    }

    /** It acts on the lock. */
    boolean holds() {
        return left > 0;
    }

    boolean awaits() {
        return phase == ClientPhase.ACQUIRING || phase == ClientPhase.RENEWING;
    }

    /** The awaited command is on its way to a server. */
    boolean isAsking() {
        return awaits() && reply.isEmpty();
    }

    SentCommand request() {
        return phase == ClientPhase.ACQUIRING
                ? new SentCommand(Verb.ACQUIRE, token, 0, marker)
                : new SentCommand(Verb.RENEW, token, fencing, marker);
    }

    Client acquires(int newToken) {
        return new Client(ClientPhase.ACQUIRING, newToken, 0, 0, 0, false, Optional.empty(), ghost, marker);
    }

    Client renews() {
        return new Client(ClientPhase.RENEWING, token, left, fencing, 0, false, Optional.empty(), ghost, marker);
    }

    Client releases() {
        return idle(Optional.of(new SentCommand(Verb.RELEASE, token, 0, Marker.UNKNOWN)), marker);
    }

    Client restarts() {
        return idle(isAsking() ? Optional.of(request()) : ghost, Marker.UNKNOWN);
    }

    Client isAnswered(PendingReply answer) {
        return new Client(phase, token, left, fencing, age, false, Optional.of(answer), ghost, marker);
    }

    Client repeats() {
        return new Client(phase, token, left, fencing, age, true, reply, ghost, marker);
    }

    Client withGhost(Optional<SentCommand> other) {
        return new Client(phase, token, left, fencing, age, repeated, reply, other, marker);
    }

    Client mirrored() {
        return new Client(
                phase,
                Owner.mirrored(token),
                left,
                fencing,
                age,
                repeated,
                reply,
                ghost.map(each ->
                        new SentCommand(each.verb(), Owner.mirrored(each.token()), each.fencing(), each.marker())),
                marker);
    }

    /** The same but for fencing tokens, which are all alike. */
    Client withoutTokens(int any) {
        return new Client(
                phase,
                token,
                left,
                any,
                age,
                repeated,
                reply.map(each -> new PendingReply(each.outcome(), any, each.marker())),
                ghost.map(each -> new SentCommand(each.verb(), each.token(), any, each.marker())),
                marker);
    }

    /** Awaits no longer; the command may still be executed, in place of an older one. */
    Client givesUp() {
        return stopsWaiting(isAsking() ? Optional.of(request()) : ghost);
    }

    /** Awaits no longer; the command was lost. */
    Client givesUpLost() {
        return stopsWaiting(ghost);
    }

    private Client stopsWaiting(Optional<SentCommand> other) {
        return phase == ClientPhase.ACQUIRING ? idle(other, marker) : holding(left, fencing, other, marker);
    }

    private Client holding(int newLeft, int newFencing, Optional<SentCommand> other, int seen) {
        return newLeft <= 0
                ? idle(other, seen)
                : new Client(ClientPhase.HOLDING, token, newLeft, newFencing, 0, false, Optional.empty(), other, seen);
    }

    /** Takes the answer that is on its way. Leases count from before the command was sent. */
    Client receives(int lease) {
        PendingReply answer = reply.orElseThrow();
        return switch (answer.outcome()) {
            case GRANTED -> holding(lease - age, answer.fencing(), ghost, answer.marker());
            case RENEWED -> holding(Math.max(left, lease - age), fencing, ghost, answer.marker());
            case DEFERRED -> holding(left, fencing, ghost, answer.marker());
            case REFUSED, LOST, RELEASED -> idle(ghost, answer.marker());
        };
    }

    /** Time passes. A client gives an acquire up when a grant would be over, and a hold at its deadline. */
    Client tick(Rules rules, int forgotten) {
        int newAge = awaits() ? Math.min(age + 1, rules.lease()) : 0;
        Client older = new Client(
                phase,
                token,
                Math.max(left - 1, 0),
                phase == ClientPhase.IDLE || phase == ClientPhase.ACQUIRING ? 0 : Fencing.tick(fencing, forgotten),
                newAge,
                repeated,
                reply.map(each -> each.tick(forgotten)),
                ghost.map(each -> each.tick(forgotten)),
                marker);
        boolean over =
                switch (phase) {
                    case IDLE -> false;
                    case ACQUIRING -> newAge == rules.lease();
                    case HOLDING -> older.left == 0;
                    case RENEWING -> older.left == 0 && (newAge == rules.lease() || !rules.has(Variation.LATE_REPLIES));
                };
        return over ? older.givesUp() : older;
    }
}
