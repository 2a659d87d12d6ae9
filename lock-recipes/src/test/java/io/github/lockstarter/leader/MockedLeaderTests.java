package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.kit.Patience;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications whose tests replace beans with mocks: they start, nothing leads, and they close at once. */
@ExtendWith(OutputCaptureExtension.class)
class MockedLeaderTests {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DistributedLockAutoConfiguration.class, LeaderAutoConfiguration.class})
    static class Application {

        @Bean
        Billing billing() {
            return new Billing();
        }
    }

    static class Billing {

        @LeaderOnly("billing")
        public Optional<String> collect() {
            return Optional.of("collected");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MockedLocks {

        @Bean
        LockOperations locks() {
            return mock(LockOperations.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MockedLeaders {

        @Bean
        Leaders leaders() {
            return mock(Leaders.class);
        }
    }

    private static void skipsAndCloses(Class<?> mocks) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class, mocks)
                .web(WebApplicationType.NONE)
                .properties("distributed-lock.backend=local", "spring.lifecycle.timeout-per-shutdown-phase=1h")
                .run();
        assertThat(context.getBean(Billing.class).collect()).isEmpty();
        assertTimeoutPreemptively(Patience.TIME, context::close);
    }

    @Test
    void aMockOfTheLocksRunsNoBody(CapturedOutput output) {
        skipsAndCloses(MockedLocks.class);
        assertThat(output).doesNotContain("NullPointerException");
    }

    @Test
    void aMockOfTheLeadersRunsNoBody() {
        skipsAndCloses(MockedLeaders.class);
    }
}
