package io.github.lockstarter.actuate;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.engine.LockEngine;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.util.ClassUtils;

/** The endpoint {@code locks} and the health {@code distributedLock}. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnSingleCandidate(LockAdmin.class)
public final class LockActuatorAutoConfiguration {

    /** Without its last word, the name of the health component. */
    static final String HEALTH_BEAN = "distributedLockHealthContributor";

    /** Created by Spring. */
    public LockActuatorAutoConfiguration() {}

    /**
     * @param showValues When to show the keys of locks, which may contain identifiers of people or orders.
     * @param roles Roles that are authorized to see keys. If empty, all authenticated users are.
     */
    @ConfigurationProperties("management.endpoint.locks")
    record EndpointProperties(
            @DefaultValue("never") Show showValues,
            @DefaultValue Set<String> roles) {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    @EnableConfigurationProperties(EndpointProperties.class)
    static class Exposed {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        LocksEndpoint distributedLockEndpoint(
                LockAdmin locks,
                BeanFactory beans,
                LockSettings settings,
                ApplicationEventPublisher events,
                EndpointProperties properties,
                LockDiagnosis diagnosis) {
            return new LocksEndpoint(
                    locks,
                    furtherLocks(settings, beans),
                    events,
                    properties.showValues(),
                    properties.roles(),
                    diagnosis);
        }

        @Bean
        @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.WEB)
        LockDiagnosis distributedLockDiagnosis(LockSettings settings) {
            return new LockDiagnosis("stores " + settings.backendsInUse() + ", key-prefix " + settings.keyPrefix()
                    + ", lease " + DurationText.exactly(settings.lease()) + ", max-lease "
                    + DurationText.exactly(settings.longestLease()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Conditional(HasHealth.class)
    @ConditionalOnMissingBean(name = HEALTH_BEAN)
    static class Health {

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
        static class OnBoot4 {

            @Bean(HEALTH_BEAN)
            HealthIndicator distributedLockHealthContributor(
                    LockAdmin locks, LockSettings settings, BeanFactory beans) {
                Map<String, LockAdmin> further = furtherLocks(settings, beans);
                return () -> {
                    LockHealth health = LockHealth.of(locks, further);
                    return org.springframework.boot.health.contributor.Health.status(health.status())
                            .withDetails(health.details())
                            .build();
                };
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(name = OlderLockHealthIndicator.INDICATOR)
        @ImportRuntimeHints(OlderLockHealthIndicator.Hints.class)
        static class OnBoot3 {

            /** Hides the product's type, for which Spring asks the factory. */
            @Bean(HEALTH_BEAN)
            static FactoryBean<?> distributedLockHealthContributor(BeanFactory beans) {
                return new OlderLockHealthIndicator(() -> LockHealth.of(
                        beans.getBean(LockAdmin.class), furtherLocks(beans.getBean(LockSettings.class), beans)));
            }
        }
    }

    /** By the name of the {@code LockOperations} bean. */
    private static Map<String, LockAdmin> furtherLocks(LockSettings settings, BeanFactory beans) {
        Map<String, LockAdmin> admins = new TreeMap<>();
        for (String backend : settings.backendsInUse()) {
            if (beans.containsBean(LockBackendOption.engineName(backend))) {
                LockEngine engine = beans.getBean(LockBackendOption.engineName(backend), LockEngine.class);
                admins.put(LockBackendOption.locksOf(backend), engine.admin());
            }
        }
        return admins;
    }

    /** Boot's condition for health indicators is in different packages in Boot 3 and 4. */
    static final class HasHealth extends AnyNestedCondition {

        private static final String OWN = "management.health.distributedlock.enabled";

        HasHealth() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnBooleanProperty(OWN)
        static class Configured {}

        @ConditionalOnBooleanProperty(
                name = {OWN, "management.health.defaults.enabled"},
                matchIfMissing = true)
        static class Default {}
    }

    /**
     * Health {@code distributedLock} on Boot 3, by a proxy: the starter cannot compile against the types of both Boot 3
     * and 4.
     */
    private static final class OlderLockHealthIndicator implements FactoryBean<Object>, InvocationHandler {

        static final String INDICATOR = "org.springframework.boot.actuate.health.HealthIndicator";

        private static final String HEALTH = "org.springframework.boot.actuate.health.Health";

        private final Class<?> indicator =
                ClassUtils.resolveClassName(INDICATOR, getClass().getClassLoader());
        private final Supplier<LockHealth> current;

        /** @param current called for each answer: Spring creates the factory early to get its type */
        OlderLockHealthIndicator(Supplier<LockHealth> current) {
            this.current = current;
        }

        @Override
        public Object getObject() {
            return Proxy.newProxyInstance(indicator.getClassLoader(), new Class<?>[] {indicator}, this);
        }

        @Override
        public Class<?> getObjectType() {
            return indicator;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            if (method.isDefault()) { // getHealth(includeDetails)
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            return switch (method.getName()) {
                case "health" -> health();
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "OlderLockHealthIndicator";
            };
        }

        private Object health() throws ReflectiveOperationException {
            LockHealth found = current.get();
            Class<?> health = Class.forName(HEALTH, false, indicator.getClassLoader());
            Object builder = health.getMethod("status", String.class).invoke(null, found.status());
            Class<?> type = builder.getClass();
            type.getMethod("withDetails", Map.class).invoke(builder, found.details());
            return type.getMethod("build").invoke(builder);
        }

        static final class Hints implements RuntimeHintsRegistrar {

            @Override
            public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
                hints.proxies().registerJdkProxy(TypeReference.of(INDICATOR));
                for (String type : List.of(HEALTH, HEALTH + "$Builder")) {
                    hints.reflection().registerType(TypeReference.of(type), MemberCategory.INVOKE_PUBLIC_METHODS);
                }
            }
        }
    }
}
