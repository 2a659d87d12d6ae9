package io.github.lockstarter.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

@Component
class StartMessage {

    private static final Logger log = LoggerFactory.getLogger(StartMessage.class);

    private final Environment environment;

    StartMessage(Environment environment) {
        this.environment = environment;
    }

    @EventListener(ApplicationReadyEvent.class)
    void print() {
        log.info("{}", text());
    }

    String text() {
        return """
                The sample is up.
                Try, in another terminal:
                  URL=http://localhost:%s
                  curl -sw '\\n' $URL/orders -H 'Content-Type: application/json' -d '{"item":"lamp","quantity":2}'
                  curl -sw '\\n' -X POST $URL/orders/1/shipment & curl -sw '\\n' -X POST $URL/orders/1/shipment; wait
                  curl -sw '\\n' -X POST $URL/orders/1/label & curl -sw '\\n' -X POST $URL/orders/1/label; wait
                  curl -sw '\\n' -X POST $URL/orders/1/invoice & curl -sw '\\n' -X POST $URL/orders/1/invoice; wait
                  curl -sw '\\n' -X POST $URL/jobs/report & curl -sw '\\n' -X POST $URL/jobs/report; wait
                  curl -sw '\\n' -X POST $URL/jobs/index & sleep 3; curl -sw '\\n' $URL/actuator/locks; wait
                  curl -sw '\\n' $URL/prices -H 'Content-Type: application/json' -d '{"chair":900,"lamp":400}' &
                  sleep 1; curl -sw '\\n' $URL/prices & curl -sw '\\n' $URL/prices; wait
                  curl -sw '\\n' $URL/prices/lamp & curl -sw '\\n' $URL/prices/lamp; wait
                  curl -sw '\\n' $URL/jobs/reminders
                  curl -sw '\\n' $URL/actuator/metrics/distributed.lock.acquire
                """.formatted(environment.getProperty("local.server.port", "8080"));
    }
}
