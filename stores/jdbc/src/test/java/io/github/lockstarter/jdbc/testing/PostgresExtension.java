package io.github.lockstarter.jdbc.testing;

import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.kit.server.PostgresServer;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One PostgreSQL per JVM. Each test class has a database of its own with the tables of the store; nested classes share
 * it. Register it in a static field.
 */
public final class PostgresExtension implements BeforeAllCallback {

    private @Nullable TestDatabase database;

    /** Of all classes: Surefire starts JUnit once per class. The server and its folder end with the JVM. */
    private static final class Shared {

        static final PostgresServer SERVER = PostgresServer.start();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (database == null) {
            TestDatabase first = TestDatabase.of(server());
            String name = "test_" + UUID.randomUUID().toString().replace("-", "");
            first.execute("CREATE DATABASE " + name);
            String url = first.url().substring(0, first.url().lastIndexOf('/') + 1) + name;
            database = new TestDatabase(url, first.user(), JdbcDialect.POSTGRESQL).prepared();
        }
    }

    public PostgresServer server() {
        return Shared.SERVER;
    }

    public TestDatabase database() {
        return Objects.requireNonNull(database);
    }
}
