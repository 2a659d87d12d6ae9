@NullMarked
package io.github.lockstarter.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
