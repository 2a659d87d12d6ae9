package io.github.lockstarter.jdbc.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.jdbc.JdbcLockAutoConfiguration;
import io.github.lockstarter.kit.net.ProxyLink;
import io.github.lockstarter.kit.net.TcpProxy;
import java.net.URI;
import java.util.Arrays;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A database server that hangs, and is then replaced behind its address: it never answers open connections. */
public final class HungDatabase {

    private static final String HELD = "SELECT COUNT(*) FROM distributed_lock WHERE lock_key = 'lock:held'";

    private HungDatabase() {}

    /**
     * Replaces the server while the pool for locks of an application logs in.
     *
     * @param parameters of the application's URL, which must not count
     */
    public static void assertReplaceable(TestDatabase database, String parameters) {
        URI server = URI.create(database.url().substring("jdbc:".length()));
        try (TcpProxy proxy = TcpProxy.before(server.getHost(), server.getPort())) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            DistributedLockAutoConfiguration.class,
                            JdbcLockAutoConfiguration.class,
                            DataSourceAutoConfiguration.class))
                    .withPropertyValues(
                            "distributed-lock.backend=jdbc",
                            "distributed-lock.lease=2m",
                            "distributed-lock.jdbc.command-timeout=1s",
                            "spring.datasource.url=" + database.url().replace(server.getAuthority(), proxy.address())
                                    + parameters,
                            "spring.datasource.username=" + database.user())
                    .run(context -> {
                        replaceWhileHung(context.getBean(LockTemplate.class), proxy);
                        await().until(() -> database.number(HELD) == 0);
                    });
        }
    }

    private static void replaceWhileHung(LockTemplate locks, TcpProxy proxy) {
        LockHandle held = await().ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> locks.acquire("held"), acquired -> true);
        proxy.stallRequests();
        proxy.stallReplies();
        await().until(() -> {
            assertThatThrownBy(() -> locks.tryAcquire("meanwhile")).isInstanceOf(LockBackendException.class);
            return isLoggingIn();
        });

        proxy.open().forEach(ProxyLink::closeToServer);
        proxy.flow();

        await().ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(
                        () -> assertThat(locks.tryAcquire("afterwards")).hasValueSatisfying(LockHandle::release));
        held.ensureHeld();
        held.release();
    }

    private static boolean isLoggingIn() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith("distributed-lock:connection-adder"))
                .flatMap(thread -> Arrays.stream(thread.getValue()))
                .anyMatch(frame -> frame.getMethodName().equals("connect"));
    }
}
