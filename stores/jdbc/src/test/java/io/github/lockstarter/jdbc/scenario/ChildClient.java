package io.github.lockstarter.jdbc.scenario;

import io.github.lockstarter.contract.Application;
import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import java.time.Duration;

/** An application on a database, in a JVM that a test has started. */
record ChildClient(TestDatabase database, Application application) {

    /** By the first three arguments of its {@code main}. */
    static ChildClient of(String[] arguments, Duration lease) {
        TestDatabase database = new TestDatabase(arguments[0], arguments[1], JdbcDialect.valueOf(arguments[2]));
        return new ChildClient(
                database, Application.over(new JdbcStore(database).connect(), Application.settings(lease)));
    }

    /** Arguments that say where the database is, and others. */
    static String[] arguments(TestDatabase database, String... others) {
        String[] all = new String[3 + others.length];
        all[0] = database.url();
        all[1] = database.user();
        all[2] = database.dialect().name();
        System.arraycopy(others, 0, all, 3, others.length);
        return all;
    }
}
