/** The locks of this instance, and the health of their store, as the actuator exposes them to operators. */
@NullMarked
package io.github.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
