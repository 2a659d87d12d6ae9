package io.github.lockstarter.leader;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.aop.LockedMethods;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.observe.DecoratedLockTemplate;
import io.github.lockstarter.observe.LockDecorator;
import io.github.lockstarter.observe.LockMetrics;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Leader election with the application's locks, configured by {@code distributed-lock.leader.*}. A child context uses
 * the election of its parent, which publishes the events. Inactive where {@link DistributedLockAutoConfiguration} is
 * excluded.
 */
@AutoConfiguration(after = {DistributedLockAutoConfiguration.class, LockObservabilityAutoConfiguration.class})
@ConditionalOnBean(LockSettings.class)
@EnableConfigurationProperties(LeaderProperties.class)
public final class LeaderAutoConfiguration {

    /** Created by Spring. */
    public LeaderAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
    @ConditionalOnSingleCandidate(LockOperations.class)
    static class Elected {

        /** Roles of lazy beans and of code are added on first use. */
        @Bean
        SmartInitializingSingleton distributedLockKnownRoles(
                LockedMethods methods, LeaderProperties properties, Leaders leaders) {
            return () -> {
                methods.requests(LeaderLocks.BEAN)
                        .flatMap(request -> LeaderLocks.roleOf(request.name()).stream())
                        .forEach(leaders::role);
                properties.roles().forEach(leaders::role);
            };
        }

        @Bean
        @ConditionalOnMissingBean(Leaders.class)
        LeaderElection distributedLockLeaderElection(LockOperations locks, ApplicationEventPublisher events) {
            return new LeaderElection(locks, events);
        }

        /**
         * No default candidate, because it has only leader locks. With a replaced {@link Leaders}, such as a mock, no
         * annotated method runs.
         */
        @Bean(name = LeaderLocks.BEAN, defaultCandidate = false)
        @ConditionalOnMissingBean(name = LeaderLocks.BEAN)
        LockTemplate distributedLockLeaderLocks(
                Leaders leaders, LockOperations locks, ObjectProvider<LockDecorator> decorators) {
            Function<String, Optional<LockHandle>> entry =
                    leaders instanceof LeaderElection election ? election::enter : role -> Optional.empty();
            return new DecoratedLockTemplate(
                    new LeaderLocks(entry, locks.heldLocks()),
                    decorators.orderedStream().toList(),
                    UnaryOperator.identity());
        }

        /** The same events in Spring Integration 6 and 7. */
        @Bean
        @ConditionalOnClass(name = "org.springframework.integration.leader.event.OnGrantedEvent")
        @ConditionalOnMissingBean
        RoleEvents distributedLockRoleEvents(Leaders leaders, ApplicationEventPublisher events) {
            return new RoleEvents(leaders, events);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnSingleCandidate(MeterRegistry.class)
    @ConditionalOnBean(LockMetrics.class)
    static class Metered {

        @Bean
        LeaderMetrics distributedLockLeaderMetrics(MeterRegistry registry) {
            return new LeaderMetrics(registry);
        }
    }
}
