/** The locks of this instance, and the health of their store, for operators: what the actuator exposes. */
@NullMarked
package io.github.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
