/**
 * The contract suite: what every lock store, and the engine over it, must do. The suites are split by topic. The module
 * of a store depends on the test jar of {@code lock-core}, implements {@link io.github.lockstarter.contract.LockStore},
 * and binds each suite in one line: {@link io.github.lockstarter.contract.LocalBackendContractTests} is an example.
 */
@NullMarked
package io.github.lockstarter.contract;

import org.jspecify.annotations.NullMarked;
