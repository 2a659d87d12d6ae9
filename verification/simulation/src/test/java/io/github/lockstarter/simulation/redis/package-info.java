/** A Redis server under virtual time, which runs the shipped scripts. */
@NullMarked
package io.github.lockstarter.simulation.redis;

import org.jspecify.annotations.NullMarked;
