package io.github.lockstarter.autoconfigure;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * To which users the endpoint shows keys.
 *
 * @param showValues When to show the keys of locks, which may contain identifiers of people or orders.
 * @param roles Roles that make a user authorized to see keys. When empty, all authenticated users are.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(
        @DefaultValue("never") Show showValues,
        @DefaultValue Set<String> roles) {}
