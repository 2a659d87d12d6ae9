package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.aop.LockStartException;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.ClassUtils;

/**
 * The source of connections for locks, which take part in no transaction of the caller. Not a {@code DataSource} bean,
 * which would change Boot's auto-configuration. Closes the pool that it created.
 */
record LockDataSource(DataSource source) implements AutoCloseable {

    private static final String MARK = "@DistributedLockDataSource";

    /** Version 6 or later. */
    private static final boolean HAS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.util.Credentials", LockDataSource.class.getClassLoader());

    /**
     * Chooses as {@link DistributedLockDataSource} describes.
     *
     * @throws LockStartException when there is none, or the choice is ambiguous
     */
    static LockDataSource of(
            ObjectProvider<DataSource> all,
            ObjectProvider<DataSource> marked,
            int connections,
            Duration commandTimeout) {
        return exists(marked)
                ? new LockDataSource(withoutTransactions(onlyMarked(marked)))
                : besides(withoutTransactions(onlyOrPrimary(all)), connections, commandTimeout);
    }

    static LockDataSource besides(DataSource application, int connections, Duration commandTimeout) {
        return new LockDataSource(
                HAS_HIKARI ? LockPool.besides(application, connections, commandTimeout) : application);
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
