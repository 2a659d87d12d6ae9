package io.github.lockstarter.demo.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class ServerSettingsTests {

    @Test
    void takesAnAddressAndProperties() {
        assertThat(ServerSettings.of(List.of("rediss://redis.internal:6380", "--distributed-lock.lease=9s"))
                        .properties())
                .containsOnly(
                        entry("spring.data.redis.url", "rediss://redis.internal:6380"),
                        entry("distributed-lock.lease", "9s"));
    }

    @Test
    void addsVariablesAndFilesOfTheApplication() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "file", Map.of("distributed-lock.lease", "6s", "spring.data.redis.port", "6380")));
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of("SPRING_DATA_REDIS_PASSWORD", "s3cret")));

        ServerSettings settings =
                ServerSettings.of(List.of("--distributed-lock.lease=9s")).in(environment);

        assertThat(settings.properties())
                .contains(
                        entry("distributed-lock.lease", "9s"),
                        entry("spring.data.redis.port", "6380"),
                        entry("spring.data.redis.password", "s3cret"));
        assertThat(settings.mask("wrong: s3cret")).isEqualTo("wrong: ****");
    }

    @Test
    void masksThePasswordOfAnAddressAsWrittenAndAsSent() {
        ServerSettings settings = ServerSettings.of(List.of("redis://orders:p%40ss@redis.internal"));

        assertThat(settings.mask("redis://orders:p%40ss@redis.internal, p@ss"))
                .isEqualTo("redis://orders:****@redis.internal, ****");
    }
}
