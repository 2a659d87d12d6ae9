package io.github.lockstarter.model.ticket;

/** A rule of detached locks in {@code docs/design.md}; each can be left out. */
enum TicketRule {

    /** An attach replaces only the ticket's token. */
    ATTACH_COMPARES_TOKENS,

    /** The ticket has a token of its own, not that of the hold. */
    TICKET_HAS_ITS_OWN_TOKEN,

    /** The hold ends when the detach is sent; nothing is renewed after that. */
    DETACH_ENDS_THE_HOLD,

    /** The ticket's token allows no crash takeover. */
    TICKET_IS_NOT_TAKEN_OVER,

    /** No lock is detached while the history of the server is younger than the grace. */
    DETACH_WAITS_FOR_THE_GRACE,

    /** No lock is attached then, either. */
    ATTACH_WAITS_FOR_THE_GRACE,

    /** An attach does not restore a lock that the server has not, as a renewal would. */
    ATTACH_RESTORES_NOTHING,

    /** The lease of a ticket is at most the longest lease, which the grace covers. */
    TICKET_HAS_NO_LONGER_LEASE
}
