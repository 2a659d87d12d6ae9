package io.github.lockstarter.sample.instance;

import java.util.concurrent.TimeUnit;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Tells that this instance answers requests, and how its clocks stand. */
@Component
@Profile("instance")
class ReadyReporter {

    private final EventPipe pipe;

    ReadyReporter(EventPipe pipe) {
        this.pipe = pipe;
    }

    @EventListener(ApplicationReadyEvent.class)
    void tell() {
        pipe.send(
                new InstanceEvent.Ready(System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis())));
    }
}
