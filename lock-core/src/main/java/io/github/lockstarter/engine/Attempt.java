package io.github.lockstarter.engine;

import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One command that tries to get the lock for a waiter. Data. */
final class Attempt {

    final Waiter waiter;

    /** As it is sent; empty if it is one of a caller that does not wait, or no longer. */
    final Optional<Waiting> waiting;

    final int fencingTokens;

    /** Before it is sent. */
    final Moment sent;

    /** Its token, set once, by the thread that sends it, before it is sent. */
    volatile @Nullable Grant grant;

    Attempt(Waiter waiter, Optional<Waiting> waiting, int fencingTokens, Moment sent) {
        this.waiter = waiter;
        this.waiting = waiting;
        this.fencingTokens = fencingTokens;
        this.sent = sent;
    }

    boolean waits() {
        return waiting.isPresent();
    }
}
