package io.github.lockstarter.sample.gallery.actor;

/** Which lock an actor uses. */
public enum LockKind {
    /** {@link io.github.lockstarter.sample.gallery.lock.SetnxLock}. */
    SETNX,
    /** {@link io.github.lockstarter.sample.gallery.lock.SetnxExpireLock}. */
    SETNX_EXPIRE,
    /** {@link io.github.lockstarter.sample.gallery.lock.FixedValueLock}. */
    FIXED_VALUE,
    /** {@link io.github.lockstarter.sample.gallery.lock.GetDelLock}. */
    GET_DEL,
    /** {@link io.github.lockstarter.sample.gallery.lock.TokenLock}. */
    TOKEN,
    /** {@link io.github.lockstarter.sample.gallery.lock.PublishedRedlock}. */
    REDLOCK,
    /** None, and the counter is incremented in one command. */
    NONE,
    /** The starter, auto-configured as in any application. */
    STARTER
}
