package io.github.lockstarter.engine.hold;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.thread.StackReserve;
import io.github.lockstarter.engine.timer.EngineTimer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Ends holds that are lost, and makes it known: once per hold, to the listeners and to the hold's callbacks. */
public final class LossDetector {

    /** How long a nested entry learns of the loss, at least, if the owner never releases. */
    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    private final EngineClock clock;
    private final Holds holds;
    private final EventDispatcher events;
    private final EngineTimer timer;
    private final Consumer<String> onEnded;

    /**
     * A detector.
     *
     * @param context what the parts of the engine share
     * @param onEnded takes the key of each hold that is lost
     */
    public LossDetector(EngineContext context, Consumer<String> onEnded) {
        this.clock = context.clock();
        this.holds = context.holds();
        this.events = context.events();
        this.timer = context.timer();
        this.onEnded = onEnded;
    }

    /** Ends the hold if its lease is over. Returns whether it is still held. */
    public boolean checkHeld(Hold hold) {
        if (hold.lifecycle.isOverdue()) {
            StackReserve.ensure();
            LossCause cause = isPastMaxHold(hold) ? LossCause.MAX_HOLD : LossCause.LEASE_EXPIRED;
            if (hold.lifecycle.expire(cause)) {
                signal(hold, cause);
            }
        }
        return hold.lifecycle.isHeld();
    }

    /** Ends the hold. False if it had ended, or its release is under way. */
    public boolean lose(Hold hold, LossCause cause) {
        boolean lost = hold.lifecycle.lose(cause);
        if (lost) {
            signal(hold, cause);
        }
        return lost;
    }

    private void signal(Hold hold, LossCause cause) {
        holds.lost(hold);
        if (hold.owner.isThread()) {
            hold.forgetAt = clock.nanos() + Math.max(hold.terms.leaseNanos(), REMEMBERED.toNanos());
            timer.schedule(hold, hold.forgetAt);
        } else {
            timer.cancel(hold);
        }
        try {
            report(hold, cause);
            hold.runLostCallbacks(events);
        } finally {
            onEnded.accept(hold.key);
        }
    }

    /** To the listeners, if they know of the hold, once. */
    public void report(Hold hold, LossCause cause) {
        if (hold.announced && hold.claimLossReport()) {
            events.publish(new LockEvent.Lost(
                    hold.terms.name(), hold.key, hold.fencingToken, hold.held(), cause, hold.failedRenewals()));
        }
    }

    public boolean isPastMaxHold(Hold hold) {
        Optional<Duration> maxHold = hold.terms.maxHold();
        return maxHold.isPresent() && hold.isRenewed() && hold.held().compareTo(maxHold.get()) >= 0;
    }
}
