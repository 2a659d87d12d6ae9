package io.github.lockstarter.model.ticket;

/**
 * An instance, which has the lock once at most.
 *
 * @param time {@code HOLDING}: ticks until its deadline; {@code ASKING}: ticks since its command was sent; else 0
 */
record TicketClient(Phase phase, int time) {

    /** What an instance has. */
    enum Phase {
        IDLE,
        /** It has sent a detach (A) or an attach, and awaits the answer. */
        ASKING,
        HOLDING,
        GONE,
        CRASHED
    }

    static final TicketClient IDLE = new TicketClient(Phase.IDLE, 0);
    static final TicketClient ASKING = new TicketClient(Phase.ASKING, 0);
    static final TicketClient GONE = new TicketClient(Phase.GONE, 0);
    static final TicketClient CRASHED = new TicketClient(Phase.CRASHED, 0);

    static TicketClient holding(int left) {
        return left > 0 ? new TicketClient(Phase.HOLDING, left) : GONE;
    }

    boolean is(Phase other) {
        return phase == other;
    }

    TicketClient tick() {
        return switch (phase) {
            case HOLDING -> holding(time - 1);
            case ASKING -> new TicketClient(Phase.ASKING, time + 1);
            default -> this;
        };
    }
}
