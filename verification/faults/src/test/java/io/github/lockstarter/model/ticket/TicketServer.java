package io.github.lockstarter.model.ticket;

/**
 * The lock on one server, or on a replica.
 *
 * @param owner token in the lock
 * @param expiry ticks until the lock ends; 0 if it is free
 * @param age ticks since the history began, up to the grace
 */
record TicketServer(Token owner, int expiry, int age) {

    /** Owners. Each instance uses one token for all of its life. */
    enum Token {
        NOBODY,
        A,
        TICKET,
        B,
        C,
        D
    }

    TicketServer grantedTo(Token token, int lease) {
        return new TicketServer(token, lease, age);
    }

    TicketServer freed() {
        return new TicketServer(Token.NOBODY, 0, age);
    }

    TicketServer promoted() {
        return new TicketServer(owner, expiry, 0);
    }

    TicketServer tick(int grace) {
        int older = Math.min(age + 1, grace);
        return expiry <= 1 ? new TicketServer(Token.NOBODY, 0, older) : new TicketServer(owner, expiry - 1, older);
    }
}
