/** Faults of the lab: the catalogue, a schedule drawn from a seed, and the nemesis that executes it. */
@NullMarked
package io.github.lockstarter.faults.nemesis;

import org.jspecify.annotations.NullMarked;
