package io.github.lockstarter.demo.experiment.web;

import io.github.lockstarter.demo.experiment.Experiment;
import io.github.lockstarter.demo.gallery.Gallery;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ExperimentConfiguration {

    @Bean
    Experiment experiment(LiveEvents events) {
        return new Experiment(events);
    }

    @Bean
    Gallery gallery(LiveEvents events) {
        return new Gallery(events);
    }
}
