package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;

/**
 * Who owns a hold: a thread, which may enter again, or nobody but the handle.
 *
 * @param threadId id of the thread; {@link #NO_THREAD} for a hold that belongs to its handle alone
 * @param label the thread's name, or {@link HeldLock#ASYNC}
 */
record Owner(long threadId, String label) {

    private static final long NO_THREAD = 0; // ids of threads are positive

    static final Owner HANDLE = new Owner(NO_THREAD, HeldLock.ASYNC);

    @SuppressWarnings("deprecation") // threadId() came with JDK 19
    static Owner currentThread() {
        Thread thread = Thread.currentThread();
        return new Owner(thread.getId(), thread.getName());
    }

    boolean isThread() {
        return threadId != NO_THREAD;
    }
}
