/**
 * Locks and the transactions of their threads: locks that a transaction keeps until it has completed, and transactions
 * that are rolled back if a lock is lost. Needs spring-tx.
 */
@NullMarked
package io.github.lockstarter.transaction;

import org.jspecify.annotations.NullMarked;
