package io.github.lockstarter.boot3;

import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** An application that has done nothing but add the starter. */
@SpringBootApplication
class ShippingApplication {

    static ConfigurableApplicationContext start(int redisPort, Class<?>... furtherBeans) {
        SpringApplication application = new SpringApplication(ShippingApplication.class);
        application.setMainApplicationClass(ShippingApplication.class); // else the log names the test runner
        for (Class<?> bean : furtherBeans) {
            application.addPrimarySources(List.of(bean));
        }
        return application.run(
                "--server.port=0",
                "--spring.data.redis.host=127.0.0.1",
                "--spring.data.redis.port=" + redisPort,
                "--management.endpoints.web.exposure.include=health,locks,metrics,configprops",
                "--management.endpoint.health.show-details=always",
                "--management.endpoint.locks.show-values=always",
                "--management.endpoint.configprops.show-values=always",
                "--distributed-lock.locks.probe.max-wait=2s",
                // For busy machines.
                "--spring.data.redis.timeout=20s",
                "--distributed-lock.redis.command-timeout=20s",
                "--distributed-lock.locks.[ShippingService.ship].max-wait=60s",
                "--management.endpoint.locks.access=unrestricted");
    }
}
