package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.autoconfigure.testing.FailureReport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

class SpringBootVersionCheckTests {

    @ParameterizedTest
    @ValueSource(strings = {"3.3.13", "3.4.0", "2.7.18", "3.4.0-SNAPSHOT"})
    void refusesAnOlderVersion(String version) {
        assertThatThrownBy(() -> SpringBootVersionCheck.check(version)).satisfies(failure -> assertThat(
                        FailureReport.of(failure))
                .startsWith("lock-starter needs Spring Boot 3.5 or later, and this application has " + version));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.5.0", "3.5.16", "4.1.1", "4.2.0-M1", "10.0.0"})
    void acceptsALaterVersion(String version) {
        assertThatCode(() -> SpringBootVersionCheck.check(version)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(classes = SpringBootVersionCheck.class)
    void runsBeforeAnyBean(Class<?> check) {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(ApplicationContextInitializer.class))
                .hasAtLeastOneElementOfType(check);
    }
}
