package io.github.lockstarter.sample;

import io.github.lockstarter.sample.experiment.instance.InstanceEvent;
import io.github.lockstarter.sample.experiment.pageview.Variant;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * One of several instances of the experiment: the page views and nothing else of the sample, with the settings of
 * {@code application-instance.yml}. Started by {@code java -jar lock-sample-app.jar instance}; not by hand, since it
 * prints events for the process that has started it, and logs to its standard error. No {@code @Configuration}, so that
 * {@link SampleApp} does not find it.
 */
@EnableAutoConfiguration
@EnableScheduling
@ComponentScan(basePackageClasses = {Variant.class, InstanceEvent.class})
@ConfigurationPropertiesScan(basePackageClasses = Variant.class)
@Import({LockProblems.class, InputProblems.class})
class InstanceApp {

    static void run(String[] args) {
        System.setOut(System.err);
        new SpringApplicationBuilder(InstanceApp.class)
                .profiles("instance", "redlock")
                .run(args);
    }
}
