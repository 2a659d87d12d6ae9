package io.github.lockstarter.sample;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Orders, invoices, a flash sale and jobs over HTTP. Data and locks are in the Redis of {@code spring.data.redis.*};
 * where none listens there, the application starts one of its own.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
@ImportRuntimeHints(SampleApp.Scripts.class)
public class SampleApp {

    /** A native image has to keep them. */
    static class Scripts implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
            hints.resources().registerPattern("io/github/lockstarter/sample/**/*.lua");
        }
    }

    /**
     * Starts the application.
     *
     * @param args Spring Boot's, such as {@code --server.port=8081 --spring.data.redis.port=6380}
     */
    public static void main(String[] args) {
        SpringApplication.run(SampleApp.class, args);
    }
}
