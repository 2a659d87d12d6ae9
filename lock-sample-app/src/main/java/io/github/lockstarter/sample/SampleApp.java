package io.github.lockstarter.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * The sample: orders, jobs and page views over HTTP, with their data and their locks in one Redis. Brings its own Redis
 * when none listens; says so, and what to try, when it is up.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class SampleApp {

    /**
     * Starts the application.
     *
     * @param args Spring Boot's, such as {@code --server.port=0 --spring.data.redis.port=6380}
     */
    public static void main(String[] args) {
        SpringApplication.run(SampleApp.class, args);
    }
}
