package io.github.lockstarter.sample.orders;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How orders are worked on.
 *
 * @param carrierTime how long the simulated carrier takes to book a shipment
 */
@ConfigurationProperties("sample.orders")
record OrderProperties(@DefaultValue("2s") Duration carrierTime) {}
