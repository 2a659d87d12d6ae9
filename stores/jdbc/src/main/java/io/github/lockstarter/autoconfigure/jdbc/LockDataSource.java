package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.aop.LockStartException;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.ClassUtils;

/**
 * Where the locks get their connections, which take part in no transaction of the caller; no bean of type {@code
 * DataSource}, which would change what Boot configures. Closes the pool that it has made.
 *
 * @param source the source
 */
record LockDataSource(DataSource source) implements AutoCloseable {

    private static final String MARK = "@DistributedLockDataSource";

    /** From version 6 on. */
    private static final boolean HAS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.util.Credentials", LockDataSource.class.getClassLoader());

    /**
     * The source that is marked for locks, as it is. Else connections beside those with which the application works,
     * where these come from HikariCP, or the same ones.
     *
     * @param all every data source without a qualifier that hides it
     * @param marked those that are marked for locks
     * @param connections the most that locks need
     * @throws LockStartException when there is none, or which one is meant is open
     */
    static LockDataSource of(ObjectProvider<DataSource> all, ObjectProvider<DataSource> marked, int connections) {
        return exists(marked)
                ? new LockDataSource(withoutTransactions(onlyMarked(marked)))
                : besides(withoutTransactions(onlyOrPrimary(all)), connections);
    }

    static LockDataSource besides(DataSource application, int connections) {
        return new LockDataSource(HAS_HIKARI ? LockPool.besides(application, connections) : application);
    }

    private static DataSource onlyMarked(ObjectProvider<DataSource> marked) {
        DataSource found = marked.getIfUnique();
        if (found == null) {
            throw new LockStartException(
                    "Locks are kept in a database, but the application has several DataSource beans marked with "
                            + MARK,
                    "Keep the mark on only one of them");
        }
        return found;
    }

    private static DataSource onlyOrPrimary(ObjectProvider<DataSource> all) {
        DataSource found = all.getIfUnique();
        if (found != null) {
            return found;
        }
        throw exists(all)
                ? new LockStartException(
                        "Locks are kept in a database, but the application has several DataSource beans",
                        "Mark the one for locks with " + MARK + ", or the one for everything with @Primary")
                : new LockStartException(
                        "Locks are kept in a database, but the application has no DataSource",
                        "Have Spring Boot configure one: check that its DataSource auto-configuration is not excluded,"
                                + " and set spring.datasource.url. For tests without a database set"
                                + " distributed-lock.backend=local");
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

    @Override
    public void close() {
        if (HAS_HIKARI && source instanceof LockPool pool) {
            pool.close();
        }
    }
}
