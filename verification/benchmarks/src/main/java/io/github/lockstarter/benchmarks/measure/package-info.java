/** Rounds, threads and metrics. */
@NullMarked
package io.github.lockstarter.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
