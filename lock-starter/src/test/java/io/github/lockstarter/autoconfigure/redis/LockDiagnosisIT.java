package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.actuate.LockActuatorAutoConfiguration;
import io.github.lockstarter.actuate.LocksEndpoint;
import io.github.lockstarter.kit.redis.RedisExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The report for an issue, of locks in Redis. */
class LockDiagnosisIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @Test
    void describesTheServer() {
        application().run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            locks.acquire("order:plugh");
            assertThat(diagnosis(context))
                    .containsPattern("health +UP")
                    .containsPattern("store +Redis at " + address())
                    .containsPattern("guard +guarded")
                    .containsPattern("client +Lettuce \\d\\S+")
                    .containsPattern("topology +one address, grace period 30s\n")
                    .containsPattern("server +.*maxmemory_policy noeviction, .*redis_version \\d\\S+, role master")
                    .containsPattern("clock +\\S+ (behind|ahead of) this JVM's, by a round trip of \\S+\n")
                    .containsPattern("rights +no command refused")
                    .containsPattern("held +1, in doubt \\d+")
                    .doesNotContain("plugh");
            assertThat(REDIS.server().commands().keys("*start-check*")).isEmpty();
        });
    }

    @Test
    void namesRefusedCommandsAndHidesTheLogin() {
        REDIS.server().setUser("alice7", "on", ">s3cret", "~lock:*", "&lock:*", "+@all");
        application("spring.data.redis.url=redis://alice7:s3cret@" + address()).run(context -> {
            context.getBean(LockTemplate.class).acquire("order:plugh");
            REDIS.server().setUser("alice7", "-zcard", "-incrby", "resetchannels");
            assertThat(diagnosis(context))
                    .containsPattern("rights +refused: .*'incrby' command.*'zcard' command.*channel")
                    .doesNotContain("alice7", "s3cret", "plugh");
        });
    }

    @Test
    void describesAStoreThatIsDown() {
        application(
                        "spring.data.redis.password=s3cret",
                        "distributed-lock.redis.required-at-start=false",
                        "distributed-lock.redis.command-timeout=2s")
                .run(context -> {
                    REDIS.server().stop();
                    await().untilAsserted(() -> assertThat(diagnosis(context))
                            .containsPattern("health +DOWN")
                            .containsPattern("store +Redis at " + address())
                            .containsPattern("failure +\\S+")
                            .containsPattern("server +\\S+")
                            .containsPattern("topology +one address")
                            .containsPattern("outages +the last \\d+:\n +\\S+Z Unreachable\\[store=Redis at ")
                            .doesNotContain("s3cret"));
                });
    }

    private static String diagnosis(ApplicationContext context) {
        return context.getBean(LocksEndpoint.class).diagnosis(SecurityContext.NONE, "diagnosis");
    }

    private static String address() {
        return REDIS.server().host() + ":" + REDIS.server().port();
    }

    private static ApplicationContextRunner application(String... properties) {
        return RedisApplication.on(REDIS.server())
                .withConfiguration(AutoConfigurations.of(LockActuatorAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=locks")
                .withPropertyValues(properties);
    }
}
