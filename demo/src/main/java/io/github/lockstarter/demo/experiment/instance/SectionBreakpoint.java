package io.github.lockstarter.demo.experiment.instance;

import io.github.lockstarter.demo.experiment.pageview.Section;
import io.github.lockstarter.demo.experiment.pageview.SectionListener;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.PositiveOrZero;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * A breakpoint: the next section stands still between its read and its write, so that a signal from outside hits the
 * holder of the lock there, and not some milliseconds after it has let go.
 */
@RestController
@Profile("instance")
class SectionBreakpoint implements SectionListener {

    private static final int STEPS = 10;

    private final EventPipe pipe;
    private final AtomicReference<@Nullable Duration> next = new AtomicReference<>();
    private volatile CountDownLatch halt = new CountDownLatch(0);

    SectionBreakpoint(EventPipe pipe) {
        this.pipe = pipe;
    }

    /** Sets the breakpoint; with zero takes it away, and lets a section that stands still there go on. */
    @PostMapping("/breakpoint")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void set(@RequestParam @PositiveOrZero @Max(10_000) int ms) {
        if (ms > 0) {
            next.set(Duration.ofMillis(ms));
        } else {
            next.set(null);
            halt.countDown();
        }
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
