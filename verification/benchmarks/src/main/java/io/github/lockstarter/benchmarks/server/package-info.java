/** The Redis of a run: a process of its own, and what it counts. */
@NullMarked
package io.github.lockstarter.benchmarks.server;

import org.jspecify.annotations.NullMarked;
