package io.github.lockstarter.model;

/**
 * One server, or what a replica has of it.
 *
 * @param owner lock token of the owner; {@link Owner#NOBODY} if the lock is free
 * @param expiry ticks until the lock ends; 0 if it is free
 * @param fence the last fencing token, see {@link Fencing}
 * @param marker of the history
 * @param promoted whether it was a replica before
 * @param clock ticks by which its clock differs from the right one; never ahead
 */
record Server(int owner, int expiry, int fence, Marker marker, boolean promoted, int clock) {

    Server ownedBy(int token, int lease) {
        return new Server(token, lease, fence, marker, promoted, clock);
    }

    Server freed() {
        return new Server(Owner.NOBODY, 0, fence, marker, promoted, clock);
    }

    Server withFence(int token) {
        return new Server(owner, expiry, token, marker, promoted, clock);
    }

    Server with(Marker written) {
        return written.equals(marker) ? this : new Server(owner, expiry, fence, written, promoted, clock);
    }

    Server emptied(int nothing) {
        return new Server(Owner.NOBODY, 0, nothing, Marker.NONE, promoted, clock);
    }

    Server mirrored() {
        return owner <= Owner.DEAD ? this : new Server(Owner.mirrored(owner), expiry, fence, marker, promoted, clock);
    }

    Server restarted() {
        return new Server(owner, expiry, fence, marker.asForeign(), false, clock);
    }

    /** Expiries are points in time, so a clock that is behind lets them come later. */
    Server promoted(int newClock) {
        int left = owner == Owner.NOBODY ? 0 : expiry + clock - newClock;
        return new Server(owner, left, fence, marker.asForeign(), true, newClock);
    }

    Server tick(int oldAge, int forgotten) {
        boolean ends = expiry <= 1;
        return new Server(
                ends ? Owner.NOBODY : owner,
                ends ? 0 : expiry - 1,
                Fencing.tick(fence, forgotten),
                marker.tick(oldAge),
                promoted,
                clock);
    }
}
