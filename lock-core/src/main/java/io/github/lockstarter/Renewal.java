package io.github.lockstarter;

/** Whether the watchdog renews the lease of a held lock. */
public enum Renewal {
    /** Uses {@code distributed-lock.renewal}, by default on. */
    AS_CONFIGURED,
    /** The lease is renewed until release, loss, shutdown or the maximum hold ({@code max-hold}). */
    ON,
    /** The lock ends with its lease. */
    OFF
}
