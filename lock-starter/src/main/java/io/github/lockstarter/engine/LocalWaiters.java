package io.github.lockstarter.engine;

/** The waiters of this instance, as those who end its holds see them. Any thread; returns at once. */
interface LocalWaiters {

    /** A hold of the key has ended, and its release is sent: they look. */
    void freed(String key);

    /** A hold of the key was released to another instance, and this one is registered behind the others: they wait. */
    void requeued(String key);
}
