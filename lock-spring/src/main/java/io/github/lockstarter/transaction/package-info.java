/** Locks that a transaction keeps until its completion, and rollback after a lost lock. */
@NullMarked
package io.github.lockstarter.transaction;

import org.jspecify.annotations.NullMarked;
