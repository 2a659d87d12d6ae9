package io.github.lockstarter.model;

/**
 * One server, or the data of a replica.
 *
 * @param owner lock token of the owner; {@link Owner#NOBODY} if the lock is free
 * @param expiry ticks until the lock ends; 0 if it is free
 * @param held the fencing token of the owner, stored with the lock; {@link Fencing#NONE} if it is free
 * @param fence the counter: the last fencing token, see {@link Fencing}
 * @param marker of the history
 * @param promoted whether it was a replica before
 * @param note id of the marker that a grant of this tick found here; {@link Marker#UNKNOWN} if there was none
 * @param clock ticks by which its clock is behind; never ahead
 */
record ServerData(int owner, int expiry, int held, int fence, Marker marker, boolean promoted, int note, int clock) {

    /** A lock is given to a token with this fencing token. */
    ServerData grantedTo(int token, int lease, int fencing) {
        return new ServerData(token, lease, fencing, fence, marker, promoted, note, clock);
    }

    ServerData leasedFor(int lease) {
        return new ServerData(owner, lease, held, fence, marker, promoted, note, clock);
    }

    ServerData freed() {
        return new ServerData(Owner.NOBODY, 0, Fencing.NONE, fence, marker, promoted, note, clock);
    }

    ServerData withFence(int token) {
        return new ServerData(owner, expiry, held, token, marker, promoted, note, clock);
    }

    /** Where fencing tokens do not matter. */
    ServerData withoutTokens(int any) {
        return new ServerData(owner, expiry, Fencing.NONE, any, marker, promoted, note, clock);
    }

    ServerData with(Marker written) {
        return written.equals(marker)
                ? this
                : new ServerData(owner, expiry, held, fence, written, promoted, note, clock);
    }

    ServerData withNote(int id) {
        return note == id ? this : new ServerData(owner, expiry, held, fence, marker, promoted, id, clock);
    }

    ServerData withoutNote() {
        return withNote(Marker.UNKNOWN);
    }

    ServerData emptied(int nothing) {
        return new ServerData(Owner.NOBODY, 0, Fencing.NONE, nothing, Marker.NONE, promoted, note, clock);
    }

    ServerData mirrored() {
        return owner <= Owner.DEAD
                ? this
                : new ServerData(Owner.mirrored(owner), expiry, held, fence, marker, promoted, note, clock);
    }

    ServerData restarted() {
        return new ServerData(owner, expiry, held, fence, marker.asForeign(), false, Marker.UNKNOWN, clock);
    }

    /** Expiries are points in time, so a slow clock delays them. */
    ServerData promoted(int newClock) {
        int left = owner == Owner.NOBODY ? 0 : expiry + clock - newClock;
        return new ServerData(owner, left, held, fence, marker.asForeign(), true, note, newClock);
    }

    ServerData tick(int oldAge, int forgotten) {
        boolean ends = expiry <= 1;
        return new ServerData(
                ends ? Owner.NOBODY : owner,
                ends ? 0 : expiry - 1,
                ends ? Fencing.NONE : Fencing.tick(held, forgotten),
                Fencing.tick(fence, forgotten),
                marker.tick(oldAge),
                promoted,
                Marker.UNKNOWN,
                clock);
    }
}
