/**
 * The contract suite of lock stores, and of the engine on a store. The suites are split by topic. The module of a store
 * depends on the test jar of {@code lock-core}, implements {@link io.github.lockstarter.contract.LockStore}, and binds
 * each suite in one line: {@link io.github.lockstarter.contract.LocalBackendContractTests} is an example.
 */
@NullMarked
package io.github.lockstarter.contract;

import org.jspecify.annotations.NullMarked;
