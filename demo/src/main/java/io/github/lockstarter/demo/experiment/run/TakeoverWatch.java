package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.demo.experiment.run.RunEvent.Held;
import io.github.lockstarter.demo.experiment.run.RunEvent.Released;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports once which instance has the lock after its holder was killed or paused, and when. Reports nothing for
 * variants without a lock. Called by one thread per instance.
 *
 * <p>Mutable: {@code next}, the first section of the next owner; {@code reported}.
 */
final class TakeoverWatch implements Consumer<RunEvent> {

    /**
     * @param kind {@code next-owner} or {@code kept-lock}
     * @param instance has the lock
     */
    record Finding(String kind, String instance, String text) {}

    static final String NEXT_OWNER = "next-owner";
    static final String KEPT_LOCK = "kept-lock";

    private static final double MS_PER_SECOND = 1000;
    private static final String TAKEN_OVER = "taken_over";

    private final String holder;
    private final double since;
    private final boolean resumes;
    private final Consumer<Finding> listener;
    private final AtomicReference<@Nullable Held> next = new AtomicReference<>();
    private final AtomicBoolean reported = new AtomicBoolean();

    private TakeoverWatch(String holder, double since, boolean resumes, Consumer<Finding> listener) {
        this.holder = holder;
        this.since = since;
        this.resumes = resumes;
        this.listener = listener;
    }

    /** After a kill: reports the next owner. */
    static TakeoverWatch ofKilled(String holder, double at, Consumer<Finding> listener) {
        return new TakeoverWatch(holder, at, false, listener);
    }

    /** After a pause: reports at the end of the holder's section whether another instance had the lock meanwhile. */
    static TakeoverWatch ofStopped(String holder, double at, Consumer<Finding> listener) {
        return new TakeoverWatch(holder, at, true, listener);
    }

    @Override
    public void accept(RunEvent event) {
        if (event instanceof Held held && isNext(held) && next.compareAndSet(null, held) && !resumes) {
            report(succeeded(held, "killed"));
        } else if (resumes && event instanceof Released end && end.instance().equals(holder) && end.to() > since) {
            Held other = next.get();
            if (other != null && other.from() <= end.to()) {
                report(succeeded(other, "paused"));
            } else if (end.outcome().equals("written")) {
                report(kept(end));
            }
        }
    }

    private void report(Finding finding) {
        if (reported.compareAndSet(false, true)) {
            listener.accept(finding);
        }
    }

    private boolean isNext(Held held) {
        return held.fence() != null
                && held.from() > since
                && !(resumes && held.instance().equals(holder));
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
