package io.github.lockstarter.demo.experiment.pageview;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How page views are counted.
 *
 * @param instance what this instance is called in its answers
 * @param work how long it works between reading the counter and writing it
 */
@ConfigurationProperties("demo.pview")
public record PageViewProperties(
        @DefaultValue("local") String instance,
        @DefaultValue("2ms") Duration work) {}
