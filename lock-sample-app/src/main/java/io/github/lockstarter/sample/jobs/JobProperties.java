package io.github.lockstarter.sample.jobs;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** Durations of the simulated jobs. */
@ConfigurationProperties("sample.jobs")
record JobProperties(
        @DefaultValue("3s") Duration reportTime,
        @DefaultValue("6s") Duration indexTime,
        @DefaultValue("1m") Duration archiveTime) {}
