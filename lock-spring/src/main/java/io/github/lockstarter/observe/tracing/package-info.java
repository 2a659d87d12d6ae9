/** Observations of acquisitions and locked sections. */
@NullMarked
package io.github.lockstarter.observe.tracing;

import org.jspecify.annotations.NullMarked;
