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
record Server(int owner, int expiry, int held, int fence, Marker marker, boolean promoted, int note, int clock) {

    // The search compares states; a record's own equals is slow without the optimizing compiler.
    @Override
    public boolean equals(Object object) {
        return object instanceof Server other
                && owner == other.owner
                && expiry == other.expiry
                && held == other.held
                && fence == other.fence
                && marker.equals(other.marker)
                && promoted == other.promoted
                && note == other.note
                && clock == other.clock;
    }

    @Override
    public int hashCode() {
        return ((((owner * 31 + expiry) * 31 + held) * 31 + fence) * 31 + marker.hashCode()) * 31 + note * 7 + clock;
    }

    /** A lock is given to a token with this fencing token. */
    Server grantedTo(int token, int lease, int fencing) {
        return new Server(token, lease, fencing, fence, marker, promoted, note, clock);
    }

    Server leasedFor(int lease) {
        return new Server(owner, lease, held, fence, marker, promoted, note, clock);
    }

    Server freed() {
        return new Server(Owner.NOBODY, 0, Fencing.NONE, fence, marker, promoted, note, clock);
    }

    Server withFence(int token) {
        return new Server(owner, expiry, held, token, marker, promoted, note, clock);
    }

    /** Where fencing tokens do not matter. */
    Server withoutTokens(int any) {
        return new Server(owner, expiry, Fencing.NONE, any, marker, promoted, note, clock);
    }

    Server with(Marker written) {
        return written.equals(marker) ? this : new Server(owner, expiry, held, fence, written, promoted, note, clock);
    }

    Server withNote(int id) {
        return note == id ? this : new Server(owner, expiry, held, fence, marker, promoted, id, clock);
    }

    Server withoutNote() {
        return withNote(Marker.UNKNOWN);
    }

    Server emptied(int nothing) {
        return new Server(Owner.NOBODY, 0, Fencing.NONE, nothing, Marker.NONE, promoted, note, clock);
    }

    Server mirrored() {
        return owner <= Owner.DEAD
                ? this
                : new Server(Owner.mirrored(owner), expiry, held, fence, marker, promoted, note, clock);
    }

    Server restarted() {
        return new Server(owner, expiry, held, fence, marker.asForeign(), false, Marker.UNKNOWN, clock);
    }

    /** Expiries are points in time, so a slow clock delays them. */
    Server promoted(int newClock) {
        int left = owner == Owner.NOBODY ? 0 : expiry + clock - newClock;
        return new Server(owner, left, held, fence, marker.asForeign(), true, note, newClock);
    }

    Server tick(int oldAge, int forgotten) {
        boolean ends = expiry <= 1;
        return new Server(
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
