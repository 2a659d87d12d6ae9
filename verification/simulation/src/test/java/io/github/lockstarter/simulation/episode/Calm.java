package io.github.lockstarter.simulation.episode;

/** Since when there has been no fault or aftermath: promises for undisturbed times are checked only then. */
final class Calm {

    /** Time to reopen connections, in addition to the time for which they could not be opened. */
    private static final long RECONNECTED_NANOS = 1_500_000_000;

    /** The same, where they could be opened all the time. */
    private static final long AT_ONCE_NANOS = 300_000_000;

    private final World world;
    private int wrong;
    private int disconnected;
    private long calmAt;
    private long queuedAt;
    private long connectedAt;

    Calm(World world) {
        this.world = world;
    }

    /** A fault begins. */
    void struck(FaultKind kind) {
        wrong += kind.isHarmless() ? 0 : 1;
        disconnected += kind.disconnects() ? 1 : 0;
    }

    /** It is healed. Clients try to connect at growing intervals, so they may need as long again. */
    void healed(Plan.PlannedFault fault) {
        FaultKind kind = fault.kind();
        if (kind.isHarmless()) {
            return;
        }
        long settled = (kind.lasts() ? fault.lasts().toNanos() + RECONNECTED_NANOS : AT_ONCE_NANOS)
                + (kind.forgets() ? world.longestStay().toNanos() : 0);
        calmAt = Math.max(calmAt, world.time.nanos() + settled);
        wrong--;
        if (kind.disconnects()) {
            disconnected--;
            connectedAt = calmAt;
        }
        if (!kind.isOfLinks()) {
            queuedAt = calmAt;
        }
    }

    /** Whether it is so now. */
    boolean isNow() {
        return wrong == 0 && world.time.nanos() >= calmAt;
    }

    /** Whether it has been so since a moment. */
    boolean isSince(long nanos) {
        return isNow() && calmAt < nanos;
    }

    /** From when on servers have kept the places of waiters in queues, and signals have been sent. */
    long queuedAt() {
        return queuedAt;
    }

    /** Whether no server has lost the connection of a living instance since a moment. */
    boolean isConnectedSince(long nanos) {
        return disconnected == 0 && connectedAt < nanos;
    }
}
