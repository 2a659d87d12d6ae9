package io.github.lockstarter.engine;

import java.time.Duration;

/** The waiters of this instance, as those who end its holds see them. Any thread; returns at once. */
interface WaiterNotifications {

    /** A hold of the key has ended, and its release is sent: they look. */
    void freed(String key);

    /** A hold of the key was released to another instance, and this one is registered behind the others: they wait. */
    void requeued(String key, Duration lease);

    /** The same, but it is not known whether that has happened: they look. */
    void requeuedUnknown(String key);

    /** Another instance waits, and may be overtaken by the next grant to this one. */
    void wanted(String key);
}
