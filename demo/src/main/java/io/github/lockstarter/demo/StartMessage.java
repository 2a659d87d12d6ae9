package io.github.lockstarter.demo;

import io.github.lockstarter.sample.redis.RedisInUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Says, once the application is up, where the page is and which Redis it uses. */
@Component
class StartMessage {

    private static final Logger log = LoggerFactory.getLogger(StartMessage.class);

    private final RedisInUse redis;
    private final Environment environment;

    StartMessage(RedisInUse redis, Environment environment) {
        this.redis = redis;
        this.environment = environment;
    }

    @EventListener(ApplicationReadyEvent.class)
    void print() {
        log.info("{}", text());
    }

    String text() {
        return """
                The demo is up. Open http://localhost:%2$s/
                Redis: %1$s
                In the terminal: java -jar lock-demo.jar experiment --help
                """.formatted(redis.description(), environment.getProperty("local.server.port", "8080"));
    }
}
