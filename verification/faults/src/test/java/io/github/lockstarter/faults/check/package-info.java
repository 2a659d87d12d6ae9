/** Decides from the event logs of a session whether an invariant was violated. One class per invariant or group. */
@NullMarked
package io.github.lockstarter.faults.check;

import org.jspecify.annotations.NullMarked;
