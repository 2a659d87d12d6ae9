package io.github.lockstarter.sample.experiment.web;

import io.github.lockstarter.sample.experiment.Experiment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The one experiment of this application. What it has started ends with the context. */
@Configuration(proxyBeanMethods = false)
class ExperimentConfiguration {

    @Bean
    Experiment experiment(LiveEvents events) {
        return new Experiment(events);
    }
}
