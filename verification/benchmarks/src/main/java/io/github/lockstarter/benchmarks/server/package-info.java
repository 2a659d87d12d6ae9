/** Servers of a run, and their counters. */
@NullMarked
package io.github.lockstarter.benchmarks.server;

import org.jspecify.annotations.NullMarked;
