package io.github.lockstarter.demo.experiment.web;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The experiment over HTTP.
 *
 * @param enabled whether {@code /experiment} may be used at all
 */
@ConfigurationProperties("demo.experiment")
record ExperimentProperties(@DefaultValue("true") boolean enabled) {}
