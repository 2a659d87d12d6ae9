/** One run of several instances over simulated servers: its plan, its faults, its callers and its event log. */
@NullMarked
package io.github.lockstarter.simulation.episode;

import org.jspecify.annotations.NullMarked;
