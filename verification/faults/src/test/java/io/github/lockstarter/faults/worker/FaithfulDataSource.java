package io.github.lockstarter.faults.worker;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A control: keeps connections that the lock client would break. */
final class FaithfulDataSource extends DelegatingDataSource {

    FaithfulDataSource(DataSource pool) {
        super(pool);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection pooled = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                FaithfulDataSource.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, given) -> {
                    try {
                        return method.getName().equals("abort") ? null : method.invoke(pooled, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
