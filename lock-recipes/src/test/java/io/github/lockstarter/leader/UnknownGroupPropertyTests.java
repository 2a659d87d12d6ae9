package io.github.lockstarter.leader;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.cache.SingleLoadCacheAutoConfiguration;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Settings of groups whose properties other auto-configurations bind. */
class UnknownGroupPropertyTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DistributedLockAutoConfiguration.class,
                    LockObservabilityAutoConfiguration.class,
                    SingleLoadCacheAutoConfiguration.class,
                    LeaderAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local")
            .withInitializer(
                    context -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()));

    @ParameterizedTest
    @CsvSource({"observation, kee, 'enabled, key'", "cache, nams, names", "leader, rolls, roles"})
    void failTheStartEvenOfLazyBeansAndWithoutLocks(String group, String name, String known) {
        String unknown = "distributed-lock." + group + '.' + name;
        for (boolean enabled : new boolean[] {true, false}) {
            FailureReport.assertThat(
                            application.withPropertyValues(unknown + "=a", "distributed-lock.enabled=" + enabled))
                    .startsWith(unknown + " does not exist; it is set by ")
                    .contains("Below distributed-lock." + group + " there are: " + known);
        }
    }
}
