package io.github.lockstarter.jdbc.testing;

import io.github.lockstarter.kit.server.PostgresServer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One PostgreSQL per test class, with the tables of the store; nested classes share it. Register it in a static field.
 */
public final class PostgresExtension implements BeforeAllCallback {

    private @Nullable PostgresServer server;
    private @Nullable TestDatabase database;

    @Override
    public void beforeAll(ExtensionContext context) {
        // The store of the outermost class closes the server after its last test.
        PostgresServer shared = context.getStore(ExtensionContext.Namespace.create(PostgresExtension.class))
                .computeIfAbsent(this, self -> PostgresServer.start(), PostgresServer.class);
        if (server == null) {
            server = shared;
            database = TestDatabase.of(shared).prepared();
        }
    }

    public PostgresServer server() {
        return Objects.requireNonNull(server);
    }

    public TestDatabase database() {
        return Objects.requireNonNull(database);
    }
}
