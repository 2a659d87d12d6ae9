/**
 * Jobs that run on one instance at a time: a scheduled job that skips, a job that outlives its lease, one that a loss
 * interrupts, and a job of the leader.
 */
@NullMarked
package io.github.lockstarter.sample.jobs;

import org.jspecify.annotations.NullMarked;
