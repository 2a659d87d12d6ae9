package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.jdbc.JdbcUnavailableException;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * The data sources of the application, of which one leads to the database that keeps the locks.
 *
 * @param all every data source without a qualifier that hides it
 * @param marked those that are marked for locks
 */
record ApplicationDataSources(ObjectProvider<DataSource> all, ObjectProvider<DataSource> marked) {

    private static final String MARK = "@DistributedLockDataSource";

    /**
     * The one that is marked for locks, as it is, else connections beside the only or primary one. They take part in no
     * transaction of the caller.
     *
     * @param connections the most that locks need
     * @throws JdbcUnavailableException when there is none, or which one is meant is open
     */
    LockDataSource forLocks(int connections) {
        return exists(marked)
                ? new LockDataSource(withoutTransactions(onlyMarked()))
                : LockDataSource.besides(withoutTransactions(onlyOrPrimary()), connections);
    }

    private DataSource onlyMarked() {
        DataSource found = marked.getIfUnique();
        if (found == null) {
            throw new JdbcUnavailableException(
                    "Locks are kept in a database, but the application has several DataSource beans marked with "
                            + MARK,
                    "Keep the mark on only one of them");
        }
        return found;
    }

    private DataSource onlyOrPrimary() {
        DataSource found = all.getIfUnique();
        if (found == null) {
            throw exists(all) ? ambiguous() : missing();
        }
        return found;
    }

    private static boolean exists(ObjectProvider<DataSource> sources) {
        return sources.stream().findAny().isPresent();
    }

    private static DataSource withoutTransactions(DataSource found) {
        DataSource present = found;
        while (present instanceof DelegatingDataSource proxy
                && (proxy instanceof TransactionAwareDataSourceProxy || proxy instanceof LazyConnectionDataSourceProxy)
                && proxy.getTargetDataSource() != null) {
            present = proxy.getTargetDataSource();
        }
        return present;
    }

    private static JdbcUnavailableException missing() {
        return new JdbcUnavailableException(
                "Locks are kept in a database, but the application has no DataSource",
                "Have Spring Boot configure one: check that its DataSource auto-configuration is not excluded, and set"
                        + " spring.datasource.url. For tests without a database set distributed-lock.backend=local");
    }

    private static JdbcUnavailableException ambiguous() {
        return new JdbcUnavailableException(
                "Locks are kept in a database, but the application has several DataSource beans",
                "Mark the one for locks with " + MARK + ", or the one for everything with @Primary");
    }
}
