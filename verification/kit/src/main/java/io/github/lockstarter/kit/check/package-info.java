/** Decides from the event log of a session whether an invariant was violated. One class per invariant or group. */
@NullMarked
package io.github.lockstarter.kit.check;

import org.jspecify.annotations.NullMarked;
