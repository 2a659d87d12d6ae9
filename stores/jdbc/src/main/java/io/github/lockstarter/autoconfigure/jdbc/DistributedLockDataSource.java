package io.github.lockstarter.autoconfigure.jdbc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Qualifier of the {@code DataSource} whose database keeps the locks: where the application has several, or where locks
 * shall have a connection pool that it configures. Without it, the only or {@code @Primary} one is used: locks get a
 * small pool beside it if it is of HikariCP, else its connections.
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false) // everything else goes on with the DataSource that Boot configures
 * @DistributedLockDataSource
 * HikariDataSource lockDataSource(DataSourceProperties properties) {
 *     HikariDataSource pool = properties.initializeDataSourceBuilder().type(HikariDataSource.class).build();
 *     pool.setMaximumPoolSize(6);
 *     return pool;
 * }
 * }</pre>
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DistributedLockDataSource {}
