package io.github.lockstarter.demo.experiment.instance;

import io.github.lockstarter.demo.experiment.pageview.PageViewSection;
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
 * A breakpoint between the read and the write of the next section, so that a signal hits the holder of the lock before
 * it releases.
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

    /** Sets the breakpoint; zero removes it and lets a section there continue. */
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
    public void hasRead(PageViewSection section) {
        Duration longest = next.getAndSet(null);
        if (longest != null) {
            CountDownLatch here = new CountDownLatch(1);
            halt = here;
            pipe.send(new InstanceEvent.Halted(System.nanoTime(), section.id(), section.page()));
            standStill(here, longest);
        }
    }

    /** Waits in steps: after a SIGSTOP, a holder needs time to detect the loss of its lock before it writes. */
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
