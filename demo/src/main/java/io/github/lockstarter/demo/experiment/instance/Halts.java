package io.github.lockstarter.demo.experiment.instance;

import io.github.lockstarter.demo.experiment.pageview.Section;
import io.github.lockstarter.demo.experiment.pageview.SectionListener;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
    private volatile CountDownLatch halt = new CountDownLatch(0);

    Halts(EventPipe pipe) {
        this.pipe = pipe;
    }

    void haltNext(Duration longest) {
        next.set(longest);
    }

    /** Ends the halt, and those that were to come. */
    void goOn() {
        next.set(null);
        halt.countDown();
    }

    @Override
    public void hasRead(Section section) {
        Duration longest = next.getAndSet(null);
        if (longest != null) {
            CountDownLatch here = new CountDownLatch(1);
            halt = here;
            pipe.send(new InstanceEvent.Halted(System.nanoTime(), section.id(), section.page()));
            standStill(here, longest);
        }
    }

    /** In steps: who was stopped meanwhile (SIGSTOP) is to hear that its lock is lost before it goes on to write. */
    private static void standStill(CountDownLatch end, Duration longest) {
        try {
            for (int step = 0; step < STEPS; step++) {
                if (end.await(longest.toMillis() / STEPS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted at a breakpoint", interrupt);
        }
    }
}
