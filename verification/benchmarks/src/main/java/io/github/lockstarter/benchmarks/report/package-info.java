/** Tables, charts, targets and raw results. */
@NullMarked
package io.github.lockstarter.benchmarks.report;

import org.jspecify.annotations.NullMarked;
