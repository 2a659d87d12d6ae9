package io.github.lockstarter.model.takeover;

/**
 * The mailbox connection that the holder uses.
 *
 * @param phase what the holder knows of it
 * @param server where it leads; the first one if it is closed
 * @param open whether the server has not closed it
 */
record Mailbox(Phase phase, int server, boolean open) {

    static final Mailbox NONE = new Mailbox(Phase.NONE, Servers.FIRST, false);

    enum Phase {
        NONE,

        /** SUBSCRIBE is on its way. */
        SUBSCRIBING,

        /** SUBSCRIBE was executed, its acknowledgement is on its way. */
        SUBSCRIBED,
        ACKNOWLEDGED
    }

    static Mailbox to(int server) {
        return new Mailbox(Phase.SUBSCRIBING, server, true);
    }

    boolean exists() {
        return phase != Phase.NONE;
    }

    boolean isHeardAt(int there) {
        return open && server == there && (phase == Phase.SUBSCRIBED || phase == Phase.ACKNOWLEDGED);
    }

    Mailbox in(Phase next) {
        return new Mailbox(next, server, open);
    }

    /** It does not matter any more where it led. */
    Mailbox closed() {
        return new Mailbox(phase, Servers.FIRST, false);
    }
}
