package io.github.lockstarter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.TestPropertySourceUtils;

/**
 * Replaces the lock store of a test with a Spring context, as {@code @AutoConfigureTestDatabase} replaces the database.
 * In a test slice it also imports the auto-configuration of the locks, without which {@code @DistributedLock} methods
 * run unlocked.
 *
 * <p>Works for every store; needs no Redis client on the class path. Takes precedence over the configuration of the
 * application and of the test.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration // imports META-INF/spring/io.github.lockstarter.test.AutoConfigureTestLocks.imports
public @interface AutoConfigureTestLocks {

    /** {@return the lock store, by default the JVM} */
    Store value() default Store.IN_JVM;

    /** The lock store of a test. */
    enum Store {

        /**
         * Keeps locks in the JVM ({@code distributed-lock.backend=local}): they exclude the threads of the test, with
         * the same waits, leases and losses as in Redis.
         */
        IN_JVM("distributed-lock.backend=local"),

        /**
         * Keeps locks in the Redis of {@code spring.data.redis.*} or the application's connection factory, which needs
         * {@code lock-starter}, without restart protection ({@code distributed-lock.redis.grace-period=0s}). With it, a
         * {@code FLUSHALL} counts as a loss of all locks, after which free locks are not granted for one {@code
         * max-lease}. A holder during a {@code FLUSHALL} detects its loss at the next renewal, at most a third of the
         * lease later.
         */
        UNGUARDED_REDIS("distributed-lock.backend=redis", "distributed-lock.redis.grace-period=0s");

        private final String properties;

        Store(String... properties) {
            this.properties = String.join("\n", properties);
        }

        String[] properties() {
            return properties.split("\n", -1);
        }

        /** Sets the properties. Discovered by Spring's test framework. */
        static final class ContextCustomizers implements ContextCustomizerFactory {

            @Override
            public @Nullable ContextCustomizer createContextCustomizer(
                    Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
                AutoConfigureTestLocks annotation =
                        TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureTestLocks.class);
                return annotation == null ? null : new StoreProperties(annotation.value());
            }

            /** Equal for equal stores, so that test classes share a cached context. */
            private record StoreProperties(Store store) implements ContextCustomizer {

                @Override
                public void customizeContext(
                        ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
                    TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, store.properties());
                }
            }
        }
    }
}
