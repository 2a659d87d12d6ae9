package io.github.lockstarter.sample.orders;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** Durations of the simulated carrier and printer. */
@ConfigurationProperties("sample.orders")
record OrderProperties(
        @DefaultValue("2s") Duration carrierTime,
        @DefaultValue("1s") Duration labelTime) {}
