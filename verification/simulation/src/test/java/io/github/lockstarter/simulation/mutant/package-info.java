/** Rules of engine and scripts that are switched off one by one, so that episodes have something to find. */
@NullMarked
package io.github.lockstarter.simulation.mutant;

import org.jspecify.annotations.NullMarked;
