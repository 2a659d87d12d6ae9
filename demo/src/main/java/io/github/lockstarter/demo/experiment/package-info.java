/**
 * The page-view experiment: the same requests without a lock, with {@code synchronized}, with a distributed lock and
 * with Redlock, on real processes. From the terminal
 * ({@link io.github.lockstarter.demo.experiment.ExperimentCommand}) or over HTTP for the page.
 */
@NullMarked
package io.github.lockstarter.demo.experiment;

import org.jspecify.annotations.NullMarked;
