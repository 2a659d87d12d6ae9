/** Runs of the experiment: concurrent requests, faults and results. */
@NullMarked
package io.github.lockstarter.demo.experiment.run;

import org.jspecify.annotations.NullMarked;
