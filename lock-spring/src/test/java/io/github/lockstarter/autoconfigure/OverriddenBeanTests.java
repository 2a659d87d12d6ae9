package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** An application's test that replaces a locked bean by a mock starts, and its other beans stay locked. */
@SpringJUnitConfig
@TestPropertySource(properties = "distributed-lock.backend=local")
class OverriddenBeanTests {

    static class Job {
        @DistributedLock
        public boolean isLocked() {
            return LockHandle.current().isPresent();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
    static class Application {

        @Bean
        Job mocked() {
            return new Job();
        }

        @Bean
        Job real() {
            return new Job();
        }
    }

    @MockitoBean("mocked")
    private Job mocked;

    @Autowired
    private Job real;

    @Test
    void startsWithAMockOfALockedBean() {
        given(mocked.isLocked()).willReturn(true);
        assertThat(mocked.isLocked()).isTrue();
        assertThat(real.isLocked()).isTrue();
    }
}
