package io.github.lockstarter.model;

/** How a protocol differs from the history guard of {@code docs/design.md}. */
enum Variation {

    /** No guard: a marker is neither read nor written, a renewal reclaims nothing. */
    NO_GUARD,

    /** A client treats the answer to a renewal after its deadline as a new lease. */
    LATE_REPLIES,

    /** A reclaim leaves the last fencing token as it is on the server. */
    NO_FENCE_FLOOR,

    /** A server without a marker counts as unused for callers without a marker. */
    TRUSTING_FIRST_USE,

    /** A marker of a first use is valid for all clients, even those that know another one. */
    FIRST_USE_FOR_ALL,

    /** A server without a marker never counts as unused, as the nodes of a quorum. */
    STRICT_FIRST_USE,

    /** A replica has the note of its master. */
    NOTE_ON_REPLICA,

    /** The note outlives the data of its server. */
    NOTE_OUTLIVES_DATA,

    /** The note is valid for every caller, even with another marker. */
    NOTE_FOR_ALL,

    /** A look leaves a note also if nothing is granted, so that the counter may be below the clock. */
    NOTE_OF_ANY_LOOK,

    /** A look leaves a note also if the history is too young for grants. */
    NOTE_OF_YOUNG_HISTORY,

    /** A renewal takes the lock back from an owner with a smaller fencing token, within the grace. */
    RECLAIM_FROM_OLDER
}
