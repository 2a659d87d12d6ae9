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
 * Orders, invoices, a flash sale and jobs over HTTP. If Redis is not running at {@code spring.data.redis.*}, the
 * application starts its own.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
@ImportRuntimeHints(SampleApp.Scripts.class)
public class SampleApp {

    /** Includes the Lua scripts in a native image. */
    static class Scripts implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
            hints.resources().registerPattern("io/github/lockstarter/sample/**/*.lua");
        }
    }

    public static void main(String[] args) {
        SpringApplication.run(SampleApp.class, args);
    }
}
