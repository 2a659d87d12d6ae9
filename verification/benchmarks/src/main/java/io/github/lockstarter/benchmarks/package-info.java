/** Measures the starter beside other lock clients. Never published. */
@NullMarked
package io.github.lockstarter.benchmarks;

import org.jspecify.annotations.NullMarked;
