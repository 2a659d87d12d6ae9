package io.github.lockstarter.autoconfigure.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The metadata of the properties of a module. */
public abstract class PropertyMetadataSuite {

    private final Class<?> ofModule;
    private final List<String> withoutDefault;

    /** @param ofModule a class of the module */
    protected PropertyMetadataSuite(Class<?> ofModule, String... withoutDefault) {
        this.ofModule = ofModule;
        this.withoutDefault = List.of(withoutDefault);
    }

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
                .containsExactlyInAnyOrderElementsOf(withoutDefault);
    }

    protected final List<Map<String, Object>> entries(String section) {
        try {
            Path classes = Path.of(
                    ofModule.getProtectionDomain().getCodeSource().getLocation().toURI());
            Path metadata = classes.resolve("META-INF/spring-configuration-metadata.json");
            return JsonPath.read(metadata.toFile(), "$." + section + "[*]");
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError("The module has no metadata", e);
        }
    }
}
