/** Actuator endpoint and health of the locks. */
@NullMarked
package io.github.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
