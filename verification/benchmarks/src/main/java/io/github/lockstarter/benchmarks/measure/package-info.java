/** How something is measured: rounds, threads, and the numbers that come out. */
@NullMarked
package io.github.lockstarter.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
