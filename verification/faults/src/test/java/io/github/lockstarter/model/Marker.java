package io.github.lockstarter.model;

/**
 * The marker of a history in a server.
 *
 * @param id identity; {@link #UNKNOWN} if there is no marker
 * @param age ticks since it was written, up to {@link Rules#oldAge()}
 * @param firstUse whether its writer considered the server unused
 * @param foreign whether it belongs to another history than the server's
 */
record Marker(int id, int age, boolean firstUse, boolean foreign) {

    /** No marker: the knowledge of a client without an answer. */
    static final int UNKNOWN = 0;

    /** The id of a marker that is nowhere any more. */
    static final int GONE = 4;

    /** The id of a marker in the moment it is written. */
    static final int NEW = 5;

    static final Marker NONE = new Marker(UNKNOWN, 0, false, false);

    static Marker written(int age, boolean firstUse) {
        return new Marker(NEW, age, firstUse, false);
    }

    boolean isPresent() {
        return id != UNKNOWN;
    }

    Marker asForeign() {
        return isPresent() ? new Marker(id, 0, false, true) : this;
    }

    Marker withId(int other) {
        return id == other ? this : new Marker(other, age, firstUse, foreign);
    }

    Marker tick(int oldAge) {
        return !isPresent() || foreign || age == oldAge ? this : new Marker(id, age + 1, firstUse, false);
    }
}
