package io.github.lockstarter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Replaces where the application under test keeps its locks, for a test class with a Spring context, as
 * {@code @AutoConfigureTestDatabase} replaces its database. In a test slice it also adds the auto-configuration of the
 * locks, without which methods with {@code @DistributedLock} run unlocked there.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureTestLocks // no Redis
 * class OrderServiceTests { … }
 *
 * @SpringBootTest
 * @AutoConfigureTestLocks(AutoConfigureTestLocks.Store.UNGUARDED_REDIS) // FLUSHALL between the tests is fine
 * class OrderRepositoryTests { … }
 * }</pre>
 *
 * <p>It works beside each store: an application needs neither Redis nor its client on the class path. What it sets
 * takes precedence over the configuration of the application and of the test.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration // those of META-INF/spring/io.github.lockstarter.test.AutoConfigureTestLocks.imports
public @interface AutoConfigureTestLocks {

    /**
     * Where the locks are kept; in the JVM by default.
     *
     * @return the store
     */
    Store value() default Store.IN_JVM;

    /** Where the locks of a test are kept. */
    enum Store {

        /**
         * In the JVM ({@code distributed-lock.backend=local}): locks exclude the threads of the test, with the waits,
         * leases and losses that they have on Redis. Nothing connects to Redis.
         */
        IN_JVM("distributed-lock.backend=local"),

        /**
         * In the Redis of {@code spring.data.redis.*} or of the application's connection factory, which needs {@code
         * lock-starter}, without the guard against lost data ({@code distributed-lock.redis.grace-period=0s}).
         * With the guard, a {@code FLUSHALL} is what it looks like, a loss of all locks: for one {@code max-lease}
         * afterwards, free locks are not granted. Who holds a lock during a {@code FLUSHALL} has it until the next
         * renewal, a third of the lease later at most, and has lost it then.
         */
        UNGUARDED_REDIS("distributed-lock.backend=redis", "distributed-lock.redis.grace-period=0s");

        private final String properties;

        Store(String... properties) {
            this.properties = String.join("\n", properties);
        }

        String[] properties() {
            return properties.split("\n", -1);
        }
    }
}
