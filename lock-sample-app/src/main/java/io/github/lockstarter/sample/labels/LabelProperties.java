package io.github.lockstarter.sample.labels;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How labels are printed.
 *
 * @param printTime how long the simulated printer takes for one
 */
@ConfigurationProperties("sample.labels")
record LabelProperties(@DefaultValue("1s") Duration printTime) {}
