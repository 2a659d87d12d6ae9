package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.actuate.LockActuatorAutoConfiguration;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockWebAutoConfiguration;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Boot does not start an application in which two libraries give a bean the same name. lock4j, for one, has a
 * {@code lockTemplate}, and an application may have a component {@code LockListeners}.
 */
class BeanNamesTests {

    private final ApplicationContextRunner everything = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataRedisAutoConfiguration.class,
                    EndpointAutoConfiguration.class,
                    WebEndpointAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class,
                    ObservationAutoConfiguration.class,
                    LockObservabilityAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    RedisLockAutoConfiguration.class,
                    LockActuatorAutoConfiguration.class,
                    LockWebAutoConfiguration.class))
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=*",
                    "distributed-lock.log.mdc=true",
                    "distributed-lock.observation.enabled=true",
                    "distributed-lock.redis.required-at-start=false",
                    "spring.data.redis.port=9");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.backend=redis",
                "distributed-lock.backend=local",
                "distributed-lock.further-backends=jdbc",
                "distributed-lock.enabled=false"
            })
    void allNamesBeginWithThatOfTheStarter(String property) {
        List<String> ours = new ArrayList<>();

        // Read before any bean is made: a store that is not there fails the start.
        everything
                .withInitializer(
                        context -> context.addBeanFactoryPostProcessor(factory -> ours.addAll(ofBeanMethods(factory))))
                .withPropertyValues(property)
                .run(context -> assertThat(ours).isNotEmpty().allSatisfy(name -> assertThat(name)
                        .matches("distributedLock.*|jdbcLocks")));
    }

    @Test
    void theBeanNameLockTemplateStaysFreeForOthers() {
        everything.withPropertyValues("distributed-lock.backend=local").run(context -> assertThat(
                        context.getBeanNamesForType(LockTemplate.class))
                .containsExactly("distributedLockTemplate"));
    }

    /** Beans of our configurations by methods and registrars; the configurations have the names of their classes. */
    private static List<String> ofBeanMethods(ConfigurableListableBeanFactory factory) {
        return Arrays.stream(factory.getBeanDefinitionNames())
                .filter(name -> isOurs(factory.getBeanDefinition(name)))
                .filter(name -> !name.contains("io.github.lockstarter."))
                .toList();
    }

    private static boolean isOurs(BeanDefinition definition) {
        String maker = definition.getFactoryBeanName() == null
                ? definition.getBeanClassName()
                : definition.getFactoryBeanName();
        return maker != null && maker.startsWith("io.github.lockstarter.");
    }
}
