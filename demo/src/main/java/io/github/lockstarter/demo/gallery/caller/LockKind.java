package io.github.lockstarter.demo.gallery.caller;

/** Which lock a caller uses. */
public enum LockKind {
    /** {@link io.github.lockstarter.demo.gallery.lock.SetnxLock}. */
    SETNX,
    /** {@link io.github.lockstarter.demo.gallery.lock.SetnxExpireLock}. */
    SETNX_EXPIRE,
    /** {@link io.github.lockstarter.demo.gallery.lock.FixedValueLock}. */
    FIXED_VALUE,
    /** {@link io.github.lockstarter.demo.gallery.lock.GetDelLock}. */
    GET_DEL,
    /** {@link io.github.lockstarter.demo.gallery.lock.TokenLock}. */
    TOKEN,
    /** {@link io.github.lockstarter.demo.gallery.lock.PublishedRedlock}. */
    REDLOCK,
    /** None, and the counter is incremented in one command. */
    NONE,
    /** The starter, auto-configured as in any application. */
    STARTER
}
