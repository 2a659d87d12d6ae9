package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.actuate.LocksEndpoint;
import io.github.lockstarter.actuate.LocksEndpointWebExtension;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** The actuator endpoint {@code locks}, where the application has the actuator and exposes it. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnSingleCandidate(LockAdmin.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
public final class LockEndpointAutoConfiguration {

    /** Created by Spring. */
    public LockEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    LocksEndpoint distributedLockEndpoint(
            LockAdmin locks,
            BeanFactory beans,
            DistributedLockProperties locksProperties,
            ApplicationEventPublisher events,
            LocksEndpointProperties properties) {
        return new LocksEndpoint(
                locks,
                FurtherLocks.admins(locksProperties, beans),
                events,
                properties.showValues(),
                properties.roles());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(LocksEndpoint.class)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    LocksEndpointWebExtension distributedLockEndpointWebExtension(LocksEndpoint endpoint) {
        return new LocksEndpointWebExtension(endpoint);
    }
}
