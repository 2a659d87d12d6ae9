/** The network of a simulation, and Lettuce's connections over it. */
@NullMarked
package io.github.lockstarter.simulation.net;

import org.jspecify.annotations.NullMarked;
