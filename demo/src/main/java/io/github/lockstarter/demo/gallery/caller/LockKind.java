package io.github.lockstarter.demo.gallery.caller;

/** The lock of a caller. */
public enum LockKind {
    SETNX,
    SETNX_EXPIRE,
    FIXED_VALUE,
    GET_DEL,
    TOKEN,
    REDLOCK,
    /** None: increments the counter with one command. */
    NONE,
    /** The starter with its auto-configuration. */
    STARTER
}
