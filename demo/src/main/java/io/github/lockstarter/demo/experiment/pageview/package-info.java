/** Counts page views: reads the counter, works briefly and writes it back, with each kind of lock. */
@NullMarked
package io.github.lockstarter.demo.experiment.pageview;

import org.jspecify.annotations.NullMarked;
