package io.github.lockstarter.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The report for an issue, on a store that tells nothing about itself. */
class LockDiagnosisTests {

    private final ApplicationContextRunner application = LockRunner.application(LockActuatorAutoConfiguration.class)
            .withPropertyValues("management.endpoints.web.exposure.include=locks");

    @Test
    void reportsVersionsSettingsStoreAndLocks() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            LockHandle held = locks.acquire("order:plugh");
            assertThat(diagnosis(context))
                    .containsPattern("lock-starter +\\S+\nspring +Boot \\d\\S+, Framework \\d\\S+\njava +\\d")
                    .containsPattern("settings +stores \\[local], key-prefix lock:, lease 30s, max-lease 30s")
                    .containsPattern("health +UP")
                    .containsPattern("server +version, clock and rights: this store reports none")
                    .containsPattern("held +1, in doubt 0; the longest:")
                    .contains("fencingToken=" + held.fencingToken())
                    .containsPattern("waiting +0; the longest:")
                    .containsPattern("outages +none since the start");
        });
    }

    @Test
    void masksKeysAsTheEndpointDoes() {
        application.run(context -> {
            context.getBean(LockOperations.class).acquire("order:plugh");
            assertThat(diagnosis(context)).contains(LocksReport.MASKED).doesNotContain("plugh");
        });
        application
                .withPropertyValues("management.endpoint.locks.show-values=always")
                .run(context -> {
                    context.getBean(LockOperations.class).acquire("order:plugh\nforged");
                    assertThat(diagnosis(context)).contains("key=order:plugh\\nforged");
                });
    }

    @Test
    void keepsTheLastOutages() {
        LockDiagnosis diagnosis = new LockDiagnosis("");
        IntStream.rangeClosed(1, 11)
                .forEach(i ->
                        diagnosis.onStoreEvent(new StoreEvent.Reachable("Redis", Scope.ALL, Duration.ofSeconds(i))));
        assertThat(diagnosis.text(Map.of(), false))
                .containsPattern("outages +the last 10:")
                .contains("lasted=PT2S", "lasted=PT11S")
                .doesNotContain("lasted=PT1S");
    }

    @Test
    void hidesTheLoginsInFailures() {
        String failure = "redis://alice:s3cret@a:6379; NOPERM User alice has no permissions to run the 'get' command;"
                + " password authentication failed for user \"alice\"; Access denied for user 'alice'@'10.0.0.1'."
                + " role \"alice\" does not exist; User alice already has more than 'max_user_connections';"
                + " jdbc://alice:s3/cret@b/db?user=alice&password=s3cret; Give the user the missing right";
        LockDiagnosis diagnosis = new LockDiagnosis("");
        diagnosis.onStoreEvent(new StoreEvent.Unreachable("Redis", Scope.ALL, failure));
        assertThat(diagnosis.text(Map.of(), false))
                .contains(
                        "redis://****@a:6379; NOPERM User **** has no permissions to run the 'get' command;"
                                + " password authentication failed for user ****; Access denied for user ****.",
                        "role **** does not exist; User **** already has more than",
                        "jdbc://****@b/db?user=****&password=****;",
                        "Give the user the missing right")
                .doesNotContain("alice", "cret");
    }

    @Test
    void otherViewsDoNotExist() {
        application.run(
                context -> assertThat(context.getBean(LocksEndpoint.class).diagnosis(SecurityContext.NONE, "diagnoses"))
                        .isNull());
    }

    private static String diagnosis(ApplicationContext context) {
        return context.getBean(LocksEndpoint.class).diagnosis(SecurityContext.NONE, "diagnosis");
    }
}
