package io.github.lockstarter.autoconfigure.testing;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Applications whose locks are in this JVM. */
public final class LockRunner {

    private LockRunner() {}

    /** With the locks' configuration, Boot's AOP and the given auto-configurations. */
    public static ApplicationContextRunner application(Class<?>... further) {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withConfiguration(AutoConfigurations.of(further))
                .withPropertyValues("distributed-lock.backend=local");
    }

    public static HeldLocks held(ApplicationContext context) {
        return context.getBean(LockOperations.class).heldLocks();
    }
}
