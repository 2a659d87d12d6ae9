package io.github.lockstarter.demo;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * An instance of the experiment, which only counts page views, configured by {@code application-instance.yml}. Started
 * by the experiment: prints events to its parent process and logs to standard error. Without {@code @Configuration},
 * so that {@link DemoApp} does not find it.
 */
@EnableAutoConfiguration
@EnableScheduling
@ComponentScan(basePackageClasses = {Variant.class, InstanceEvent.class})
@ConfigurationPropertiesScan(basePackageClasses = Variant.class)
class InstanceApp {

    static void run(String[] args) {
        System.setOut(System.err);
        new SpringApplicationBuilder(InstanceApp.class)
                .profiles("instance", "redlock")
                .run(args);
    }
}
