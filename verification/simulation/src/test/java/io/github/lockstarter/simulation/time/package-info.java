/** Virtual time: events in the order of their times. */
@NullMarked
package io.github.lockstarter.simulation.time;

import org.jspecify.annotations.NullMarked;
