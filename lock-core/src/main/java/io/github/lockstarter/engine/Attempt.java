package io.github.lockstarter.engine;

import io.github.lockstarter.engine.Deadline.Moment;
import org.jspecify.annotations.Nullable;

/** One command that tries to get the lock for a waiter. Data. */
final class Attempt {

    final Waiter waiter;
    final long position;
    final int fencingTokens;

    /** Before it is sent. */
    final Moment sent;

    /** Its token, set once, by the thread that sends it, before it is sent. */
    volatile @Nullable Grant grant;

    Attempt(Waiter waiter, long position, int fencingTokens, Moment sent) {
        this.waiter = waiter;
        this.position = position;
        this.fencingTokens = fencingTokens;
        this.sent = sent;
    }
}
