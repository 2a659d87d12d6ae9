package io.github.lockstarter.sample.experiment.web;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The experiment over HTTP.
 *
 * @param enabled whether {@code /experiment} may be used at all
 */
@ConfigurationProperties("sample.experiment")
record ExperimentProperties(@DefaultValue("true") boolean enabled) {}
