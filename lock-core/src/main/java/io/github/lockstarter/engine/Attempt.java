package io.github.lockstarter.engine;

import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An acquire command for a waiter, and the processing of its answer. */
final class Attempt implements StoreCalls.Continuation<AcquireResult> {

    final Waiter waiter;

    /** Registration as a waiting instance; empty for a try. */
    final Optional<Waiting> waiting;

    final int fencingTokens;

    /** The signalled slot that it was sent for; still free if a lower one is granted; negative if none. */
    final int signalledSlot;

    /** Time before it was sent. */
    final Moment sent;

    /** Another instance waits; passed on to the grant. Guarded by the {@link KeyLock}. */
    boolean wanted;

    /** Set once, before the command is sent, by the sending thread. */
    volatile @Nullable Grant grant;

    Attempt(Waiter waiter, Optional<Waiting> waiting, int fencingTokens, int signalledSlot, Moment sent) {
        this.waiter = waiter;
        this.waiting = waiting;
        this.fencingTokens = fencingTokens;
        this.signalledSlot = signalledSlot;
        this.sent = sent;
    }

    boolean registers() {
        return waiting.isPresent();
    }

    @Override
    public void accept(AcquireResult result) {
        waiter.lock.running.answered(this, result);
    }

    @Override
    public void failed(Throwable cause) {
        waiter.lock.fail(cause);
    }
}
