package io.github.lockstarter.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.StreamSupport;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.util.ClassUtils;

/**
 * Another starter has a lock registry and a lock provider unless the application declares them: a store of ours would
 * change under its locks, without a word, when the application adds lock-starter.
 */
class ForeignLockBeansTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(allOfThisModule()))
            .withPropertyValues("distributed-lock.backend=local");

    private static Class<?>[] allOfThisModule() {
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, null).spliterator(), false)
                .filter(name -> name.startsWith("io.github.lockstarter."))
                .map(name -> ClassUtils.resolveClassName(name, null))
                .toArray(Class<?>[]::new);
    }

    @AutoConfiguration
    @AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
    static class LaterStarter {

        @Bean
        @ConditionalOnMissingBean(LockRegistry.class)
        LockRegistry<?> theirRegistry() {
            return key -> new ReentrantLock();
        }

        @Bean
        @ConditionalOnMissingBean(LockProvider.class)
        LockProvider theirProvider() {
            return configuration -> Optional.empty();
        }
    }

    @Test
    void aLaterStarterKeepsItsLocks() {
        application
                .withConfiguration(AutoConfigurations.of(LaterStarter.class))
                .run(context -> assertThat(context).hasBean("theirRegistry").hasBean("theirProvider"));
    }

    @Test
    void aStarterInAChildContextKeepsItsLocks() {
        application.run(parent -> new ApplicationContextRunner()
                .withParent(parent)
                .withConfiguration(AutoConfigurations.of(LaterStarter.class))
                .run(child -> assertThat(child).hasBean("theirRegistry").hasBean("theirProvider")));
    }
}
