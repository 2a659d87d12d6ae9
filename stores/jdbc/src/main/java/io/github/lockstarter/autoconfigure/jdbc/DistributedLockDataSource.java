package io.github.lockstarter.autoconfigure.jdbc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Qualifies the {@code DataSource} for locks, where the application has several or configures a connection pool for
 * locks. Without it, locks use the only or {@code @Primary} one: its connections, or a small separate pool with its
 * settings if it is HikariCP.
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false) // the rest of the application keeps the DataSource that Boot configures
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
