package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.context.properties.ConfigurationPropertiesReportEndpointAutoConfiguration;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The view of {@code distributed-lock.*} in {@code /actuator/configprops}. */
class PropertyReportTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DistributedLockAutoConfiguration.class,
                    ConfigurationPropertiesReportEndpointAutoConfiguration.class))
            .withPropertyValues(
                    "distributed-lock.backend=local",
                    "management.endpoints.web.exposure.include=configprops",
                    "management.endpoint.configprops.show-values=always");

    private static Map<String, Object> reported(ConfigurationPropertiesReportEndpoint endpoint) {
        return endpoint.configurationPropertiesWithPrefix("distributed-lock").getContexts().values().stream()
                .flatMap(context -> context.getBeans().values().stream())
                .map(ConfigurationPropertiesReportEndpoint.ConfigurationPropertiesBeanDescriptor::getProperties)
                .filter(properties -> properties.containsKey("lease"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void reportsTheConfiguredWait() {
        application
                .withPropertyValues(
                        "distributed-lock.max-wait=3s",
                        "distributed-lock.lease=7s",
                        "distributed-lock.locks.ship.max-wait=2s")
                .run(context -> assertThat(reported(context.getBean(ConfigurationPropertiesReportEndpoint.class)))
                        .containsEntry("lease", "PT7S")
                        .containsEntry("maxWait", "PT3S")
                        .extractingByKey("locks")
                        .asString()
                        .contains("maxWait=PT2S"));
    }

    @Test
    void reportsTheDefaultWait() {
        application.run(context -> assertThat(reported(context.getBean(ConfigurationPropertiesReportEndpoint.class)))
                .containsEntry("maxWait", "PT5S"));
    }
}
