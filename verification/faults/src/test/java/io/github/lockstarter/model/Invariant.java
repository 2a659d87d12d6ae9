package io.github.lockstarter.model;

/** What must never be violated. */
enum Invariant {

    /** I1: no two holds overlap while their leases are valid. */
    EXCLUSION,

    /** I2: fencing tokens grow strictly from grant to grant. */
    FENCING
}
