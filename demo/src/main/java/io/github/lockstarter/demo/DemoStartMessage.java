package io.github.lockstarter.demo;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Logs the address of the page on startup. */
@Component
class DemoStartMessage {

    private static final Logger log = LoggerFactory.getLogger(DemoStartMessage.class);

    private final Environment environment;

    DemoStartMessage(Environment environment) {
        this.environment = environment;
    }

    @EventListener(ApplicationReadyEvent.class)
    void print() {
        log.info("""
            The demo is up. Open http://localhost:{}/
            In the terminal: java -jar lock-demo.jar experiment --help, or gallery --help
            """, environment.getProperty("local.server.port", "8080"));
    }
}
