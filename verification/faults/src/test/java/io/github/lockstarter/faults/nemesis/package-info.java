/** What goes wrong in the fault lab: the catalogue of faults, a schedule drawn from a seed, and who carries it out. */
@NullMarked
package io.github.lockstarter.faults.nemesis;

import org.jspecify.annotations.NullMarked;
