package io.github.lockstarter.demo;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * One of several instances of the experiment: the page views and nothing else, with the settings of
 * {@code application-instance.yml}. Started by {@code java -jar lock-demo.jar instance}; not by hand, since it prints
 * events for the process that has started it, and logs to its standard error. No {@code @Configuration}, so that
 * {@link DemoApp} does not find it.
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
