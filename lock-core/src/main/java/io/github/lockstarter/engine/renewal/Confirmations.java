package io.github.lockstarter.engine.renewal;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.heartbeat.Certainty;
import io.github.lockstarter.engine.heartbeat.Heartbeats;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.engine.timer.TimerEntry;
import java.util.function.Consumer;

/**
 * Reports holds that come into doubt and out of it, and has each hold renewed once in each period of the heartbeats.
 * While the store answers and all holds are confirmed, it looks at none.
 *
 * <p>Any thread asks for a look; the timer's thread looks, and alone uses {@link #settled}. {@link #unsettled} turns
 * true with a hold that was granted in an earlier period, and false before the look that sees it.
 */
final class Confirmations extends TimerEntry {

    private static final long NEVER = -1;

    private final EngineClock clock;
    private final EventDispatcher events;
    private final Heartbeats heartbeats;
    private final Holds holds;
    private final EngineTimer timer;
    private final Consumer<Hold> renew;
    private final Renewals renewals;
    private volatile boolean unsettled;

    /** How many periods there were when all holds were certain. */
    private long settled;

    /**
     * Confirmations of an engine.
     *
     * @param context what the parts of the engine share
     * @param renew takes each hold whose renewal has begun, to be written at the end of the timer's tick
     * @param renewals takes each hold that is certain again
     */
    Confirmations(EngineContext context, Consumer<Hold> renew, Renewals renewals) {
        this.clock = context.clock();
        this.events = context.events();
        this.heartbeats = context.heartbeats();
        this.holds = context.holds();
        this.timer = context.timer();
        this.renew = renew;
        this.renewals = renewals;
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
        long periods = heartbeats.periods();
        boolean answered = heartbeats.areAnswered();
        if (answered && periods == settled && !unsettled) {
            return;
        }
        unsettled = false;
        holds.forEach(this::look);
        settled = answered ? periods : NEVER;
    }

    private void look(Hold hold) {
        Certainty certainty = hold.grant.certainty;
        if (!certainty.takesPart() || !hold.lifecycle.isHeld()) {
            return;
        }
        if (certainty.isCertain()) {
            renewals.endDoubt(hold);
        } else {
            doubt(hold, certainty);
        }
        if (!certainty.isSettled()) {
            unsettled = true;
            if (!hold.isConfirming && !renewals.areDeferred() && hold.lifecycle.beginRenewal()) {
                hold.isConfirming = true;
                renew.accept(hold);
            }
        }
    }

    private void doubt(Hold hold, Certainty certainty) {
        if (hold.announced && certainty.beginDoubt(clock.nanos())) {
            events.publish(new LockEvent.InDoubt(hold.terms.name(), hold.key, hold.fencingToken, hold.held()));
            if (certainty.isCertain()) { // an answer that came in between found no doubt to end
                renewals.endDoubt(hold);
            }
        }
    }
}
