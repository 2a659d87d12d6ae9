package io.github.lockstarter;

/** Whether the watchdog renews the lease of a held lock until it is released. */
public enum Renewal {
    /** As {@code distributed-lock.watchdog.enabled} says, which is on by default. */
    AS_CONFIGURED,
    /** The lease is renewed until release, loss, shutdown or the longest hold ({@code max-hold}). */
    ON,
    /** The lock ends by itself when the lease is over. */
    OFF
}
