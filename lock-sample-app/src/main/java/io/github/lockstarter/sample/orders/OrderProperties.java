package io.github.lockstarter.sample.orders;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How orders are worked on.
 *
 * @param carrierTime how long the simulated carrier takes to book a shipment
 * @param labelTime how long the simulated printer takes for a label
 */
@ConfigurationProperties("sample.orders")
record OrderProperties(
        @DefaultValue("2s") Duration carrierTime,
        @DefaultValue("1s") Duration labelTime) {}
