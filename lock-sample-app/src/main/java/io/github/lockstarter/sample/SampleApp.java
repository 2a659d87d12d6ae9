package io.github.lockstarter.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Orders, invoices, a flash sale and jobs over HTTP. Data and locks are in the Redis of {@code spring.data.redis.*};
 * where none listens there, the application starts one of its own.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
public class SampleApp {

    /**
     * Starts the application.
     *
     * @param args Spring Boot's, such as {@code --server.port=8081 --spring.data.redis.port=6380}
     */
    public static void main(String[] args) {
        SpringApplication.run(SampleApp.class, args);
    }
}
