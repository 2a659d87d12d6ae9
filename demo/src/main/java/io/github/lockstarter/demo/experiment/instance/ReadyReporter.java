package io.github.lockstarter.demo.experiment.instance;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Tells that this instance answers requests, and where. */
@Component
@Profile("instance")
class ReadyReporter {

    private final EventPipe pipe;
    private final Environment environment;

    ReadyReporter(EventPipe pipe, Environment environment) {
        this.pipe = pipe;
        this.environment = environment;
    }

    @EventListener(ApplicationReadyEvent.class)
    void tell() {
        int port = environment.getRequiredProperty("local.server.port", Integer.class);
        pipe.send(new InstanceEvent.Ready(System.nanoTime(), port));
    }
}
