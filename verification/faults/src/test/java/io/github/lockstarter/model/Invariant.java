package io.github.lockstarter.model;

/** The invariants. */
enum Invariant {

    /** I1: no two holds overlap while their leases are valid. */
    EXCLUSION,

    /** I2: fencing tokens grow strictly from grant to grant. */
    FENCING
}
