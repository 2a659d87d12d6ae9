/** Runs of the experiment: many requests at once, what happens meanwhile, and what they come to. */
@NullMarked
package io.github.lockstarter.demo.experiment.run;

import org.jspecify.annotations.NullMarked;
