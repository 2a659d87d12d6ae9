package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class JdbcDatabaseTests {

    private static final int READ_ONLY_COMMANDS = 1_000;

    private final AtomicInteger discarded = new AtomicInteger();

    @Test
    void doesNotDiscardAConnectionWithEachCommandWhileTheServerStaysReadOnly() {
        try (HikariDataSource unused = new HikariDataSource()) {
            JdbcDatabase database = new JdbcDatabase(unused, JdbcSettings.of("lock:"));
            for (int i = 0; i < READ_ONLY_COMMANDS; i++) {
                database.discard(new JdbcSession(connection(), Duration.ofSeconds(1)));
            }
        }

        assertThat(discarded.get()).isBetween(1, READ_ONLY_COMMANDS / 2);
    }

    private Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("abort")) {
                        discarded.incrementAndGet();
                    }
                    return method.getReturnType() == int.class ? 0 : null;
                });
    }
}
