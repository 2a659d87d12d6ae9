package io.github.lockstarter.autoconfigure.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EtcdPropertyMetadataTests {

    @Test
    void describesEveryPropertyAndNamesItsDefault() throws Exception {
        Path classes = Path.of(EtcdLockProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<Map<String, Object>> properties = JsonPath.read(
                classes.resolve("META-INF/spring-configuration-metadata.json").toFile(), "$.properties[*]");

        assertThat(properties).hasSize(6).allSatisfy(property -> assertThat((String) property.get("description"))
                .as("description of %s", property.get("name"))
                .endsWith("."));
        assertThat(properties.stream()
                        .filter(property -> !property.containsKey("defaultValue"))
                        .map(property -> property.get("name")))
                .containsExactlyInAnyOrder(
                        "distributed-lock.etcd.user",
                        "distributed-lock.etcd.password",
                        "distributed-lock.etcd.ssl-bundle");
    }
}
