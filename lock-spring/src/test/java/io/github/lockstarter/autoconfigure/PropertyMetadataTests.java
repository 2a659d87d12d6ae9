package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Metadata written by hand. {@code DocumentationTests} checks the properties of all modules. */
class PropertyMetadataTests {

    @Test
    void describesTheHealthProperty() throws Exception {
        assertThat(names("properties")).contains("management.health.distributedlock.enabled");
    }

    @Test
    void offersTheValuesOfEnumerations() throws Exception {
        assertThat(names("hints"))
                .contains("distributed-lock.backend", "distributed-lock.on-lost", "distributed-lock.renewal");
    }

    private static List<String> names(String section) throws IOException, URISyntaxException {
        Path classes = Path.of(DistributedLockProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path metadata = classes.resolve("META-INF/spring-configuration-metadata.json");
        return JsonPath.read(metadata.toFile(), "$." + section + "[*].name");
    }
}
