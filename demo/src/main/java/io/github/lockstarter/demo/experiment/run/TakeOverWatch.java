package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.run.RunEvent.Held;
import io.github.lockstarter.demo.experiment.run.RunEvent.Released;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who has the lock after its holder was killed or stopped, and when. Without a lock there is nothing to find
 * out. Called by one thread for each instance; tells its finding once.
 *
 * <p>Mutable: {@code next}, the first section of the next owner since then; {@code told}, whether the finding was told.
 */
final class TakeOverWatch implements Consumer<RunEvent> {

    /**
     * What was found.
     *
     * @param kind {@code next-owner} or {@code kept-lock}
     * @param instance who has the lock
     * @param text in words
     */
    record Finding(String kind, String instance, String text) {}

    static final String NEXT_OWNER = "next-owner";
    static final String KEPT_LOCK = "kept-lock";

    private static final double MS_PER_SECOND = 1000;
    private static final String TAKEN_OVER = "taken_over";

    private final String holder;
    private final double since;
    private final boolean goesOn;
    private final Consumer<Finding> listener;
    private final AtomicReference<@Nullable Held> next = new AtomicReference<>();
    private final AtomicBoolean told = new AtomicBoolean();

    private TakeOverWatch(String holder, double since, boolean goesOn, Consumer<Finding> listener) {
        this.holder = holder;
        this.since = since;
        this.goesOn = goesOn;
        this.listener = listener;
    }

    /** After a kill: tells of the next owner. */
    static TakeOverWatch ofKilled(String holder, double at, Consumer<Finding> listener) {
        return new TakeOverWatch(holder, at, false, listener);
    }

    /** After a stop: tells at the end of the holder's section whether another instance had the lock meanwhile. */
    static TakeOverWatch ofStopped(String holder, double at, Consumer<Finding> listener) {
        return new TakeOverWatch(holder, at, true, listener);
    }

    @Override
    public void accept(RunEvent event) {
        if (event instanceof Held held && isNext(held) && next.compareAndSet(null, held) && !goesOn) {
            tell(succeeded(held, "killed"));
        } else if (goesOn && event instanceof Released end && end.instance().equals(holder) && end.to() > since) {
            Held other = next.get();
            if (other != null && other.from() <= end.to()) {
                tell(succeeded(other, "paused"));
            } else if (end.outcome().equals("written")) {
                tell(kept(end));
            }
        }
    }

    private void tell(Finding finding) {
        if (told.compareAndSet(false, true)) {
            listener.accept(finding);
        }
    }

    private boolean isNext(Held held) {
        return held.fence() != null
                && held.from() > since
                && !(goesOn && held.instance().equals(holder));
    }

    private Finding succeeded(Held held, String fate) {
        String how = TAKEN_OVER.equals(held.path()) ? "took the lock over" : "had the lock";
        return new Finding(
                NEXT_OWNER,
                held.instance(),
                "Instance " + held.instance() + " " + how + " " + seconds(held.from()) + " s after instance " + holder
                        + " was " + fate);
    }

    private Finding kept(Released end) {
        return new Finding(
                KEPT_LOCK,
                holder,
                "Instance " + holder + " kept the lock: no other instance had it for the " + seconds(end.to())
                        + " s until it continued and wrote");
    }

    private String seconds(double at) {
        return String.format(Locale.ROOT, "%.1f", (at - since) / MS_PER_SECOND);
    }
}
