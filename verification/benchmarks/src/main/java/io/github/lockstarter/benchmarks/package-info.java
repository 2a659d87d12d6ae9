/** Compares the starter with other lock clients. Never published. */
@NullMarked
package io.github.lockstarter.benchmarks;

import org.jspecify.annotations.NullMarked;
