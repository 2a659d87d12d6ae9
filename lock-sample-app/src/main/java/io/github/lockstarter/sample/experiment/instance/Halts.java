package io.github.lockstarter.sample.experiment.instance;

import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.experiment.pageview.Section;
import io.github.lockstarter.sample.experiment.pageview.SectionListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * A breakpoint: the next section stands still between its read and its write, so that a signal from outside hits the
 * holder of the lock there, and not some milliseconds after it has let go.
 */
@Component
@Profile("instance")
class Halts implements SectionListener {

    private static final int STEPS = 10;

    private final EventPipe pipe;
    private final AtomicReference<@Nullable Duration> next = new AtomicReference<>();

    Halts(EventPipe pipe) {
        this.pipe = pipe;
    }

    void haltNext(Duration duration) {
        next.set(duration.isZero() ? null : duration);
    }

    @Override
    public void hasRead(Section section) {
        Duration duration = next.getAndSet(null);
        if (duration != null) {
            pipe.send(new InstanceEvent.Halted(System.nanoTime(), section.id(), section.page()));
            standStill(duration);
        }
    }

    /** In steps: who was stopped meanwhile (SIGSTOP) is to hear that its lock is lost before it goes on to write. */
    private static void standStill(Duration duration) {
        for (int step = 0; step < STEPS; step++) {
            SimulatedWork.lasting(duration.dividedBy(STEPS));
        }
    }
}
