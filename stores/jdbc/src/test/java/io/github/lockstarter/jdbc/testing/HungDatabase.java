package io.github.lockstarter.jdbc.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.jdbc.JdbcLockAutoConfiguration;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.ProxyLink;
import io.github.lockstarter.kit.net.TcpProxy;
import java.net.URI;
import java.util.Arrays;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A database server that hangs, and is then replaced behind its address: it never answers open connections. */
public final class HungDatabase {

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
                            "spring.datasource.url=" + database.url().replace(server.getAuthority(), proxy.address())
                                    + parameters,
                            "spring.datasource.username=" + database.user())
                    .run(context -> replaceWhileHung(context.getBean(LockTemplate.class), proxy));
        }
        assertThat(database.number("SELECT COUNT(*) FROM distributed_lock WHERE lock_key = 'lock:held'"))
                .isZero();
    }

    private static void replaceWhileHung(LockTemplate locks, TcpProxy proxy) {
        LockHandle held = locks.acquire("held");
        proxy.stallRequests();
        proxy.stallReplies();
        await().atMost(Patience.TIME).until(() -> {
            assertThatThrownBy(() -> locks.tryAcquire("meanwhile")).isInstanceOf(LockBackendException.class);
            return isLoggingIn();
        });

        proxy.open().forEach(ProxyLink::closeToServer);
        proxy.flow();

        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
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
