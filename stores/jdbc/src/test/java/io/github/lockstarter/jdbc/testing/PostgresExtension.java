package io.github.lockstarter.jdbc.testing;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One PostgreSQL per test class, with the tables of the store; nested classes share it. Register it in a static field.
 */
public final class PostgresExtension implements BeforeAllCallback {

    private @Nullable Postgres server;
    private @Nullable TestDatabase database;

    @Override
    public void beforeAll(ExtensionContext context) {
        // The store of the outermost class closes the server after its last test.
        Postgres shared = context.getStore(ExtensionContext.Namespace.create(PostgresExtension.class))
                .computeIfAbsent(this, self -> Postgres.start(), Postgres.class);
        if (server == null) {
            server = shared;
            database = shared.database().prepared();
        }
    }

    public Postgres server() {
        return Objects.requireNonNull(server);
    }

    public TestDatabase database() {
        return Objects.requireNonNull(database);
    }
}
