package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Two applications of one JVM, on a Unix socket. */
final class UnixSocketApplication {

    private UnixSocketApplication() {}

    /**
     * Runs.
     *
     * @param arguments path of the socket
     */
    public static void main(String[] arguments) {
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(DistributedLockAutoConfiguration.class, RedisLockAutoConfiguration.class))
                .withBean(
                        LettuceConnectionFactory.class,
                        () -> new LettuceConnectionFactory(new RedisSocketConfiguration(arguments[0])));
        application.run(one -> application.run(other -> {
            LockRequest request = LockRequest.of("order:42").maxWait(Duration.ZERO);
            LockTemplate there = other.getBean(LockTemplate.class);
            try (LockHandle lock = one.getBean(LockTemplate.class).acquire(request)) {
                lock.ensureHeld();
                System.out.println(isExcluded(there, request) ? "excluded" : "not excluded");
            }
            there.acquire(request).close();
        }));
        System.exit(0);
    }

    private static boolean isExcluded(LockTemplate locks, LockRequest request) {
        try (LockHandle lock = locks.acquire(request)) {
            return !lock.isHeld();
        } catch (LockNotAcquiredException e) {
            return true;
        }
    }
}
