/** A bank on a database, and tests of locks and transactions on each database. */
@NullMarked
package io.github.lockstarter.transaction.testing;

import org.jspecify.annotations.NullMarked;
