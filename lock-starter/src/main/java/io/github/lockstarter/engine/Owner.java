package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * Who owns a hold: a thread, which may enter again, or the handle alone. Threads are told apart by identity, since a subclass
 * of {@link Thread} may override its id and its {@code equals}. A hold keeps its thread reachable: until the lock is released,
 * or for as long as its loss is remembered for that thread.
 *
 * @param thread the thread; null for a hold that belongs to its handle alone
 * @param label the thread's name, or {@link HeldLock#ASYNC}
 */
record Owner(@Nullable Thread thread, String label) {

    static final Owner HANDLE = new Owner(null, HeldLock.ASYNC);

    static Owner currentThread() {
        Thread thread = Thread.currentThread();
        return new Owner(thread, thread.getName());
    }

    boolean isThread() {
        return thread != null;
    }
}
