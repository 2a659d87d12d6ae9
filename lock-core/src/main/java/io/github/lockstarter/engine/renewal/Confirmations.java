package io.github.lockstarter.engine.renewal;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.heartbeat.Certainty;
import io.github.lockstarter.engine.heartbeat.Heartbeats;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.TimerEntry;
import io.github.lockstarter.engine.timer.TimerWheel;
import java.util.function.Consumer;

/**
 * Has each hold confirmed that the store confirmed last before the present epoch of the heartbeats, and reports holds
 * that come into doubt. While the store hears this instance and all holds are confirmed, it looks at none. While the
 * store does not hear this instance, a renewal that comes through keeps a hold certain for a take-over time.
 *
 * <p>Any thread asks for a look; the timer's thread looks, and alone uses {@link #settled}. {@link #unsettled} turns
 * true with a hold that was granted across an interruption, and false before the look that sees it.
 */
final class Confirmations extends TimerEntry {

    private final EngineClock clock;
    private final EventDispatcher events;
    private final Heartbeats heartbeats;
    private final Holds holds;
    private final TimerWheel timer;
    private final Consumer<Hold> renew;
    private final Consumer<Hold> endDoubt;
    private volatile boolean unsettled;

    /** How many epochs there were when all holds were confirmed. */
    private long settled;

    /**
     * Confirmations of an engine.
     *
     * @param context what the parts of the engine share
     * @param renew takes each hold whose renewal has begun, to be written at the end of the timer's tick
     * @param endDoubt takes each hold that is certain again
     */
    Confirmations(EngineContext context, Consumer<Hold> renew, Consumer<Hold> endDoubt) {
        this.clock = context.clock();
        this.events = context.events();
        this.heartbeats = context.heartbeats();
        this.holds = context.holds();
        this.timer = context.timer();
        this.renew = renew;
        this.endDoubt = endDoubt;
    }

    /** Looks soon, on the timer's thread. */
    void check() {
        timer.schedule(this, clock.nanos());
    }

    /** The same, whatever was confirmed before. */
    void checkAll() {
        unsettled = true;
        check();
    }

    @Override
    public void fire() {
        long epochs = heartbeats.epochs();
        boolean heard = heartbeats.areHeard();
        if (heard && epochs == settled && !unsettled) {
            return;
        }
        unsettled = false;
        holds.forEach(this::look);
        settled = heard ? epochs : -1;
    }

    private void look(Hold hold) {
        Certainty certainty = hold.grant.certainty;
        if (!certainty.takesPart() || !hold.lifecycle.isHeld()) {
            return;
        }
        if (!certainty.isCertain(clock)) {
            doubt(hold, certainty);
        }
        if (!certainty.isSettled()) {
            unsettled = true;
            if (certainty.isConfirmationDue(clock) && !hold.isConfirming && hold.lifecycle.beginRenewal()) {
                hold.isConfirming = true;
                renew.accept(hold);
            }
        }
    }

    private void doubt(Hold hold, Certainty certainty) {
        if (hold.announced && certainty.beginDoubt(clock.nanos())) {
            events.publish(new LockEvent.InDoubt(hold.terms.name(), hold.key, hold.fencingToken, hold.held()));
            if (certainty.isCertain(clock)) { // a confirmation that came in between found no doubt to end
                endDoubt.accept(hold);
            }
        }
    }
}
