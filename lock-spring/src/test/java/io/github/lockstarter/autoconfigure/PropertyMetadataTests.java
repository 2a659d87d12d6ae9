package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.testing.PropertyMetadataSuite;
import org.junit.jupiter.api.Test;

class PropertyMetadataTests extends PropertyMetadataSuite {

    PropertyMetadataTests() {
        super(
                DistributedLockProperties.class,
                "distributed-lock.cache.names",
                "distributed-lock.further-backends",
                "distributed-lock.leader.roles",
                "distributed-lock.locks",
                "distributed-lock.max-lease",
                "distributed-lock.observation.enabled",
                "distributed-lock.watchdog.max-hold",
                "management.endpoint.locks.roles");
    }

    @Test
    void describesTheHealthProperty() {
        assertThat(entries("properties"))
                .extracting(property -> property.get("name"))
                .contains("management.health.distributedlock.enabled");
    }

    @Test
    void offersTheValuesOfEnumerations() {
        assertThat(entries("hints"))
                .extracting(hint -> hint.get("name"))
                .contains("distributed-lock.backend", "distributed-lock.on-lost");
    }
}
