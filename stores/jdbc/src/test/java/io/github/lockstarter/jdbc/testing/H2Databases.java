package io.github.lockstarter.jdbc.testing;

import io.github.lockstarter.jdbc.JdbcDialect;
import java.util.UUID;

/** Databases in this JVM. */
public final class H2Databases {

    private H2Databases() {}

    /** Creates an empty one that lives as long as this JVM. */
    public static TestDatabase empty() {
        return new TestDatabase("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", JdbcDialect.H2);
    }
}
