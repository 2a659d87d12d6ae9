/**
 * Locks in a relational database: {@link io.github.lockstarter.jdbc.JdbcLockBackend} over a {@link
 * javax.sql.DataSource}. Plain JDBC.
 */
@NullMarked
package io.github.lockstarter.jdbc;

import org.jspecify.annotations.NullMarked;
