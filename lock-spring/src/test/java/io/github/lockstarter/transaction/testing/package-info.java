/**
 * A bank on a database, and what the tests of locks and transactions show on each database.
 */
@NullMarked
package io.github.lockstarter.transaction.testing;

import org.jspecify.annotations.NullMarked;
