/** Virtual time: what happens, in the order of its time. */
@NullMarked
package io.github.lockstarter.simulation.time;

import org.jspecify.annotations.NullMarked;
