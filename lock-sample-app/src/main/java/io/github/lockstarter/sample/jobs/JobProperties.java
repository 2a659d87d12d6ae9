package io.github.lockstarter.sample.jobs;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How long the jobs take.
 *
 * @param reportTime how long a report takes
 * @param indexTime how long a rebuild of the index takes
 */
@ConfigurationProperties("sample.jobs")
record JobProperties(
        @DefaultValue("3s") Duration reportTime,
        @DefaultValue("6s") Duration indexTime) {}
