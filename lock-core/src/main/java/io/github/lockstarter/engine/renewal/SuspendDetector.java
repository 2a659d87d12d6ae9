package io.github.lockstarter.engine.renewal;

import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.hold.LossDetector;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.engine.timer.TimerEntry;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notices that the machine was suspended. During a suspension the monotonic clock, and with it the timer, may stand
 * still while leases run out; so once a second, while anything is held, both clocks are compared, and after a jump
 * every hold is looked at.
 *
 * <p>{@link #watching} turns true with the first hold, and false on the timer's thread when nothing is held any more;
 * {@link #last} belongs to the one that turned it true, and then to the timer's thread.
 */
final class SuspendDetector extends TimerEntry {

    private static final long PERIOD_NANOS = 1_000_000_000;
    private static final long JUMP_MILLIS = 100;

    private final EngineClock clock;
    private final Holds holds;
    private final LossDetector lossDetector;
    private final EngineTimer timer;
    private final AtomicBoolean watching = new AtomicBoolean();
    private volatile Moment last;

    SuspendDetector(EngineContext context, LossDetector lossDetector) {
        this.clock = context.clock();
        this.holds = context.holds();
        this.timer = context.timer();
        this.lossDetector = lossDetector;
        this.last = Moment.now(clock);
    }

    void begin() {
        if (!watching.get() && watching.compareAndSet(false, true)) {
            boolean isSet = false;
            try {
                next();
                isSet = true;
            } finally {
                watching.set(isSet); // a thread that fails here leaves it to the next one
            }
        }
    }

    private void next() {
        last = Moment.now(clock);
        timer.schedule(this, last.nanos() + PERIOD_NANOS);
    }

    @Override
    public void fire() {
        Moment now = Moment.now(clock);
        long ahead = now.wallMillis() - last.wallMillis() - (now.nanos() - last.nanos()) / 1_000_000;
        if (ahead > JUMP_MILLIS) {
            holds.forEach(lossDetector::checkHeld);
        }
        watching.set(false);
        if (holds.size() > 0) {
            begin();
        }
    }
}
