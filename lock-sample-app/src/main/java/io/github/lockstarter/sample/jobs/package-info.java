/** Jobs of which one runs at a time: one that skips when another run is in progress, one that outlives its lease. */
@NullMarked
package io.github.lockstarter.sample.jobs;

import org.jspecify.annotations.NullMarked;
