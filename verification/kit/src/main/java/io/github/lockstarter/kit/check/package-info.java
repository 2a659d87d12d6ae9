/** Checks the event log of a session for violations of the invariants. */
@NullMarked
package io.github.lockstarter.kit.check;

import org.jspecify.annotations.NullMarked;
