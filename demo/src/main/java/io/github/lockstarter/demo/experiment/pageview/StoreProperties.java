package io.github.lockstarter.demo.experiment.pageview;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Where page views are stored.
 *
 * @param port port of a Redis on this machine that stands alone; unless set, the Redis of {@code spring.data.redis.*}
 */
@ConfigurationProperties("demo.store")
record StoreProperties(@Nullable Integer port) {}
