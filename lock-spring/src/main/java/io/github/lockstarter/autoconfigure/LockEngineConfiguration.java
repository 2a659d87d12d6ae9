package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.observe.DecoratedLockTemplate;
import io.github.lockstarter.observe.LockDecorator;
import io.github.lockstarter.observe.LockListeners;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.transaction.LocksInTransaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LockEngine.class)
@Import(FurtherLocks.class)
class LockEngineConfiguration {

    static final String ENGINE = "distributedLockEngine";
    static final String TEMPLATE = "distributedLockTemplate";
    static final String LEAVE_TO_LEASES = "leaveToLeases";

    private static final Logger log = LoggerFactory.getLogger(LockEngineConfiguration.class);

    /** {@link LockListeners} closes it after the engine. */
    @Bean(destroyMethod = "")
    LockListener distributedLockEventPublisher(ApplicationEventPublisher events) {
        return LockListeners.publisher(events);
    }

    @Bean
    LockListeners distributedLockListeners(DistributedLockProperties properties, ObjectProvider<LockListener> beans) {
        return new LockListeners(properties.warnsOfSlowHolds(), beans.orderedStream());
    }

    /**
     * When destroyed, leaves the remaining locks to their leases, before the store is closed.
     *
     * @param distributedLockBackend selects one of several stores by its alias, see {@link FurtherLocks}
     */
    @Bean(name = ENGINE, destroyMethod = LEAVE_TO_LEASES)
    @DependsOn(DistributedLockAutoConfiguration.OPTIONS)
    static LockEngine distributedLockEngine(
            LockBackend distributedLockBackend,
            DistributedLockProperties properties,
            LockListeners listeners,
            Environment environment) {
        EngineSettings settings = properties.engineSettings().at(InstancePlace.of(environment));
        LockEngine engine = new LockEngine(distributedLockBackend, settings, listeners.all(), EngineClock.SYSTEM);
        log.info(
                "Distributed locks are kept in {}: key prefix {}, lease {}, max-lease {}, max-wait {}, renewal {}, "
                        + "crash-takeover {}; this instance is {}",
                distributedLockBackend,
                properties.keyPrefix(),
                DurationText.exactly(settings.lease()),
                DurationText.exactly(settings.maxLease()),
                DurationText.exactly(settings.terms().maxWait().orElseThrow()),
                renewal(settings.terms()),
                takeover(engine, settings.terms()),
                engine.admin().instance()
                        + settings.shownPlace()
                                .filter(place -> !place.isBlank())
                                .map(place -> " (" + place + ')')
                                .orElse(""));
        return engine;
    }

    /** Locks of names and methods without a limit of their own may be held forever. */
    private static String renewal(LockTerms terms) {
        String limit = terms.maxHold().map(DurationText::exactly).orElse("none");
        return terms.renewal() == Renewal.ON ? "on (max-hold " + limit + ')' : "off";
    }

    private static String takeover(LockEngine engine, LockTerms terms) {
        boolean supported = engine.crashTakeover().state() == CrashTakeover.State.ON;
        return terms.crashTakeover()
                .filter(time -> supported && !time.isZero())
                .map(DurationText::exactly)
                .orElse("off");
    }

    @Bean
    @ConditionalOnMissingBean
    LockAdmin distributedLockAdmin(LockEngine engine) {
        return engine.admin();
    }

    @Bean
    LockEngineLifecycle distributedLockEngineLifecycle(
            ConfigurableListableBeanFactory beans, DistributedLockProperties properties) {
        return new LockEngineLifecycle(
                beans.getBeansOfType(LockEngine.class),
                beans,
                properties.engineSettings().shortestCrashTakeover().isPresent());
    }

    @Bean(TEMPLATE)
    @ConditionalOnMissingBean(LockOperations.class)
    static LockTemplate distributedLockTemplate(
            LockEngine engine,
            DistributedLockProperties properties,
            ConfiguredLocks configured,
            ObjectProvider<LockDecorator> decorators) {
        LocksInTransaction locks =
                new LocksInTransaction(engine, properties.inTransaction(), properties.engineSettings()::completed);
        return new DecoratedLockTemplate(
                locks.handles(), locks.sections(), decorators.orderedStream().toList(), configured::named);
    }

    /**
     * The {@code host/application} of this instance, for operators. Asks no name service, which could block startup.
     */
    private static final class InstancePlace {

        /** The space in a token, without the separator. */
        private static final int LONGEST = 39;

        private static final int LONGEST_HOST = 24;
        private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");

        static String of(Environment environment) {
            String host = end(host(environment), LONGEST_HOST);
            String application = end(
                    environment.getProperty("spring.application.name", "").replace('@', '?'), LONGEST - host.length());
            return application.isBlank() ? host : host + '/' + application;
        }

        private static String host(Environment environment) {
            return Stream.of("HOSTNAME", "COMPUTERNAME")
                    .flatMap(name -> Optional.ofNullable(environment.getProperty(name)).stream())
                    .filter(name -> !name.isBlank())
                    .findFirst()
                    .orElseGet(InstancePlace::ofKernel)
                    .replaceAll("[@/]", "?");
        }

        private static String ofKernel() {
            try {
                return Files.readString(KERNEL).strip();
            } catch (IOException e) {
                return "";
            }
        }

        /** The end distinguishes the pods of a deployment. */
        private static String end(String name, int length) {
            return name.substring(Math.max(0, name.length() - length));
        }
    }
}
