/**
 * The contract suite of lock stores, and of the engine on a store. The suites are split by topic. The module of a store
 * depends on the test jar of {@code lock-core}, implements {@link io.github.lockstarter.contract.LockStore}, and
 * extends {@link io.github.lockstarter.contract.StoreSuites}, which has all of them.
 */
@NullMarked
package io.github.lockstarter.contract;

import org.jspecify.annotations.NullMarked;
