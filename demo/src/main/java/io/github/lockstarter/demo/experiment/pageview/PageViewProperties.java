package io.github.lockstarter.demo.experiment.pageview;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the page views.
 *
 * @param instance name in answers
 * @param work time between reading and writing the counter
 * @param storePort port of a local Redis for the views; the default is the Redis of {@code spring.data.redis.*}
 */
@ConfigurationProperties("demo.pview")
public record PageViewProperties(
        @DefaultValue("local") String instance,
        @DefaultValue("2ms") Duration work,
        @Nullable Integer storePort) {}
