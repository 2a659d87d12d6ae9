package io.github.lockstarter.demo.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.DurationStyle;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The deploy files agree with each other and with the application, as far as can be checked without containers. */
class ComposeFilesTests {

    private static final Path PROJECT = Path.of("..");
    private static final String BASE = "compose.yaml";
    private static final String SENTINEL = "compose.sentinel.yaml";
    private static final String REDLOCK = "compose.redlock.yaml";
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final Pattern NGINX_SERVER = Pattern.compile("(?m)^\\s*server ([a-z0-9-]+):8080\\b");
    private static final Pattern NGINX_TIMEOUT = Pattern.compile("proxy_read_timeout (\\d+s);");

    @ParameterizedTest
    @ValueSource(strings = {BASE, SENTINEL, REDLOCK})
    void setOnlyKnownProperties(String file) {
        Set<String> known = knownVariables();

        Collection<String> set = services(file).values().stream()
                .flatMap(service -> map(service, "environment").keySet().stream())
                .collect(Collectors.toSet());

        assertThat(set).isNotEmpty().allSatisfy(variable -> assertThat(known).contains(variable));
    }

    @ParameterizedTest
    @ValueSource(strings = {BASE, SENTINEL, REDLOCK})
    void referToKnownServicesOnly(String file) {
        Map<String, Map<String, Object>> all = new HashMap<>(services(BASE));
        all.putAll(services(file));

        Collection<String> named = services(file).values().stream()
                .flatMap(service ->
                        Stream.concat(map(service, "depends_on").keySet().stream(), hosts(map(service, "environment"))))
                .collect(Collectors.toSet());

        assertThat(named).isNotEmpty().isSubsetOf(all.keySet());
    }

    @Test
    void balanceTheLoadAcrossTheInstances() {
        List<String> instances = NGINX_SERVER
                .matcher(read("deploy/nginx.conf"))
                .results()
                .map(result -> result.group(1))
                .toList();

        assertThat(instances).containsExactlyInAnyOrderElementsOf(instances().keySet());
    }

    @Test
    void disableTheExperiment() {
        assertThat(instances()).hasSize(2).allSatisfy((name, service) -> assertThat(map(service, "environment"))
                .containsEntry("DEMO_EXPERIMENT_ENABLED", "false"));
    }

    /** Servers that were never used grant no lock for this long, and the command in the file requests one at once. */
    @Test
    void waitForTheFirstLockOfNewRedlockServersAndNginxWaitsLonger() {
        Duration maxLease = duration(map(yaml(read("demo/src/main/resources/application.yml")), "distributed-lock")
                .get("max-lease"));
        Duration nginx = duration(NGINX_TIMEOUT
                .matcher(read("deploy/nginx.conf"))
                .results()
                .map(result -> result.group(1))
                .findFirst()
                .orElseThrow());

        for (String instance : instances().keySet()) {
            Map<String, Object> service = services(REDLOCK).getOrDefault(instance, Map.of());
            assertThat(duration(map(service, "environment").get("DISTRIBUTED_LOCK_MAX_WAIT")))
                    .isBetween(maxLease.plusSeconds(5), nginx.minusSeconds(5));
        }
    }

    /** Otherwise a deposed master grants locks until it learns of the failover. */
    @Test
    void requireAllReplicasForWritesBesideSentinel() {
        List<String> commands = services(SENTINEL).values().stream()
                .map(service -> String.valueOf(service.get("command")))
                .filter(command -> command.startsWith("redis-server"))
                .toList();
        long replicas = commands.stream()
                .filter(command -> command.contains("--replicaof"))
                .count();

        assertThat(replicas).isPositive();
        assertThat(commands).allSatisfy(command -> assertThat(command)
                .startsWith(String.valueOf(services(BASE).get("redis").get("command")))
                .contains("--min-replicas-to-write " + replicas + " ", "--min-replicas-max-lag 8 "));
    }

    private static Map<String, Map<String, Object>> instances() {
        Map<String, Map<String, Object>> instances = new HashMap<>(services(BASE));
        instances.values().removeIf(service -> !map(service, "environment").containsKey("DEMO_PVIEW_INSTANCE"));
        return instances;
    }

    /**
     * Every property of the application and its libraries, as an environment variable, with or without underscores for
     * dashes.
     */
    private static Set<String> knownVariables() {
        try {
            return Collections.list(ComposeFilesTests.class.getClassLoader().getResources(METADATA)).stream()
                    .flatMap(ComposeFilesTests::properties)
                    .flatMap(name -> Stream.of(name.replace("-", ""), name.replace('-', '_')))
                    .map(name -> name.replace('.', '_').toUpperCase(Locale.ROOT))
                    .collect(Collectors.toSet());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Stream<String> properties(URL metadata) {
        try (InputStream json = metadata.openStream()) {
            JsonNode all = JsonMapper.shared().readTree(json).path("properties");
            return StreamSupport.stream(all.spliterator(), false)
                    .map(property -> property.path("name").asString());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The hosts of the settings that name some. */
    private static Stream<String> hosts(Map<String, Object> environment) {
        return environment.entrySet().stream()
                .filter(variable ->
                        variable.getKey().endsWith("_HOST") || variable.getKey().endsWith("_NODES"))
                .flatMap(variable ->
                        Arrays.stream(String.valueOf(variable.getValue()).split(",", -1)))
                .map(address -> address.replaceFirst(":\\d+$", ""));
    }

    private static Duration duration(Object text) {
        return DurationStyle.detectAndParse(String.valueOf(text));
    }

    private static Map<String, Map<String, Object>> services(String file) {
        Map<String, Map<String, Map<String, Object>>> compose = new Yaml().load(read(file));
        return compose.get("services");
    }

    private static Map<String, Object> yaml(String text) {
        return new Yaml().load(text);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Map<String, Object> parent, String name) {
        return (Map<String, Object>) parent.getOrDefault(name, Map.of());
    }

    private static String read(String file) {
        try {
            return Files.readString(PROJECT.resolve(file));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
