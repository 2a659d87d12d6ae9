package io.github.lockstarter.autoconfigure.zookeeper;

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
        assertThat(properties()).isNotEmpty().allSatisfy(property -> assertThat((String) property.get("description"))
                .as("description of %s", property.get("name"))
                .isNotBlank()
                .endsWith("."));
    }

    @Test
    void namesEveryDefault() {
        assertThat(properties().stream()
                        .filter(property -> !property.containsKey("defaultValue"))
                        .map(property -> property.get("name")))
                .isEmpty();
    }

    private static List<Map<String, Object>> properties() {
        try {
            Path metadata = classes().resolve("META-INF/spring-configuration-metadata.json");
            return JsonPath.read(metadata.toFile(), "$.properties[*]");
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError("The module has no metadata", e);
        }
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(ZooKeeperLockProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }
}
