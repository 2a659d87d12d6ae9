package io.github.lockstarter.demo.experiment.pageview;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How page views are counted.
 *
 * @param instance name of this instance in its answers
 * @param work duration of the work between reading the counter and writing it
 * @param storePort port of the Redis on this machine that has the views; by default the one of
 *     {@code spring.data.redis.*} has them
 */
@ConfigurationProperties("demo.pview")
public record PageViewProperties(
        @DefaultValue("local") String instance,
        @DefaultValue("2ms") Duration work,
        @Nullable Integer storePort) {}
