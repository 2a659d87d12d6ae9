/**
 * The page view of the experiment, counted in four ways: read the counter, work a moment, write it back, without a
 * lock, {@code synchronized}, under a distributed lock, under Redlock.
 */
@NullMarked
package io.github.lockstarter.demo.experiment.pageview;

import org.jspecify.annotations.NullMarked;
