/** The locks of this instance as an actuator endpoint. */
@NullMarked
package io.github.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
