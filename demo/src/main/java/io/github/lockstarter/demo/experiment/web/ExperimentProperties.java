package io.github.lockstarter.demo.experiment.web;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** @param enabled whether {@code /experiment} is available */
@ConfigurationProperties("demo.experiment")
record ExperimentProperties(@DefaultValue("true") boolean enabled) {}
