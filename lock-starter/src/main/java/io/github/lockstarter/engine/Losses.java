package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import java.time.Duration;

/** Ends holds that are lost, and makes it known: once per hold, to the listeners and to the hold's callbacks. */
final class Losses {

    private final EngineSettings.Watchdog settings;
    private final Holds holds;
    private final Events events;
    private final TimerWheel timer;

    Losses(Core core) {
        this.settings = core.settings().watchdog();
        this.holds = core.holds();
        this.events = core.events();
        this.timer = core.timer();
    }

    /** Whether the hold is still ours; ends it if its lease is over. */
    boolean isHeld(Hold hold) {
        LossCause cause = isPastMaxHold(hold) ? LossCause.MAX_HOLD : LossCause.LEASE_EXPIRED;
        if (hold.lifecycle.expire(cause)) {
            signal(hold, cause);
        }
        return hold.lifecycle.isHeld();
    }

    void lose(Hold hold, LossCause cause) {
        if (hold.lifecycle.lose(cause)) {
            signal(hold, cause);
        }
    }

    void signal(Hold hold, LossCause cause) {
        timer.cancel(hold);
        holds.lost(hold);
        events.lost(new LockEvent.Lost(
                hold.terms.name(), hold.key, hold.fencingToken, hold.held(), cause, hold.progress.failed()));
        hold.runLostCallbacks(events);
    }

    boolean isPastMaxHold(Hold hold) {
        Duration held = hold.held();
        return settings.maxHold().isPresent()
                && hold.isRenewed()
                && held.compareTo(settings.maxHold().get()) >= 0;
    }
}
