package io.github.lockstarter.autoconfigure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.AheadOfTimeApplication;
import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.testing.Effort;
import java.sql.DriverManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;

/** An application with locks in its database that is processed ahead of time. */
@Tag(Effort.FULL)
class JdbcAheadOfTimeTests {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DistributedLockAutoConfiguration.class,
        JdbcLockAutoConfiguration.class
    })
    static class Application {}

    /**
     * Otherwise it finds them with the first use, by the class loader of the test below, and has none for other tests.
     */
    @BeforeAll
    static void findDrivers() {
        DriverManager.getDrivers();
    }

    @Test
    @Tag(Effort.FULL)
    @CompileWithForkedClassLoader
    void usesTheDatabaseThatIsConfiguredAtStartup() {
        AheadOfTimeApplication.of(
                Application.class,
                application -> application.start(
                        context -> {
                            LockOperations locks = context.getBean(LockOperations.class);
                            long first = locks.execute("order:1", () -> locks.heldLocks()
                                    .find("order:1")
                                    .orElseThrow()
                                    .fencingToken());
                            assertThat(first).isPositive();
                        },
                        "distributed-lock.backend=jdbc",
                        "spring.datasource.url=jdbc:h2:mem:ahead-of-time"),
                "distributed-lock.backend=jdbc",
                "spring.datasource.url=jdbc:h2:mem:build");
    }

    @Test
    void registersHintsForTheTableScriptsAndThePool() {
        RuntimeHints hints = AheadOfTimeApplication.hints(Application.class, "spring.datasource.url=jdbc:h2:mem:build");

        for (JdbcDialect dialect : JdbcDialect.values()) {
            assertThat(RuntimeHintsPredicates.resource()
                            .forResource("io/github/lockstarter/jdbc/"
                                    + dialect.script()
                                            .substring(dialect.script().lastIndexOf('/') + 1)))
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of("com.zaxxer.hikari.util.Credentials")))
                .accepts(hints);
    }
}
