/** The contract suite of {@code lock-core}, bound to a quorum of simulated nodes and of real servers. */
@NullMarked
package io.github.lockstarter.redlock.contract;

import org.jspecify.annotations.NullMarked;
