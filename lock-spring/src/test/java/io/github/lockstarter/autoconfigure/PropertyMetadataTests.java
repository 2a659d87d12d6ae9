package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PropertyMetadataTests {

    @Test
    void describesEveryProperty() {
        assertThat(entries("properties")).isNotEmpty().allSatisfy(property -> assertThat(
                        (String) property.get("description"))
                .as("description of %s", property.get("name"))
                .isNotBlank()
                .endsWith("."));
    }

    @Test
    void namesEveryDefault() {
        assertThat(entries("properties").stream()
                        .filter(property -> !property.containsKey("defaultValue"))
                        .map(property -> property.get("name")))
                .containsExactlyInAnyOrder(
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

    private static List<Map<String, Object>> entries(String section) {
        try {
            Path metadata = classes().resolve("META-INF/spring-configuration-metadata.json");
            return JsonPath.read(metadata.toFile(), "$." + section + "[*]");
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError("The module has no metadata", e);
        }
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(DistributedLockProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }
}
