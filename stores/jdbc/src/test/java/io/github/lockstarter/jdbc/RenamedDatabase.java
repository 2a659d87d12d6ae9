package io.github.lockstarter.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A database whose driver gives it another name. */
final class RenamedDatabase extends DelegatingDataSource {

    private final String name;

    RenamedDatabase(DataSource source, String name) {
        super(source);
        this.name = name;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        DatabaseMetaData real = connection.getMetaData();
        Object renamed = proxy(DatabaseMetaData.class, real, "getDatabaseProductName", name);
        return (Connection) proxy(Connection.class, connection, "getMetaData", renamed);
    }

    private static Object proxy(Class<?> type, Object real, String method, Object answer) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, called, arguments) ->
                        called.getName().equals(method) ? answer : called.invoke(real, arguments));
    }
}
