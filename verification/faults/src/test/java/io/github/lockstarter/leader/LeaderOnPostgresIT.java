package io.github.lockstarter.leader;

import io.github.lockstarter.autoconfigure.jdbc.JdbcLockAutoConfiguration;
import io.github.lockstarter.kit.server.PostgresServer;
import io.github.lockstarter.leader.testing.LeaderElectionSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Leader election on PostgreSQL. */
@Tag("full")
class LeaderOnPostgresIT extends LeaderElectionSuite {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DataSourceAutoConfiguration.class, JdbcLockAutoConfiguration.class})
    static class Store {}

    @Override
    protected SpringApplicationBuilder onStore(SpringApplicationBuilder application) {
        return application
                .sources(Store.class)
                .properties(
                        "distributed-lock.backend=jdbc",
                        "distributed-lock.jdbc.initialize-schema=always",
                        "spring.datasource.url=" + server.url(),
                        "spring.datasource.username=postgres");
    }
}
