/**
 * Jobs of which one runs at a time: a scheduled one that skips while another runs, one that outlives its lease, one
 * that the leader runs.
 */
@NullMarked
package io.github.lockstarter.sample.jobs;

import org.jspecify.annotations.NullMarked;
