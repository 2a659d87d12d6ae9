/**
 * Observes acquisitions and what runs under locks, as spans where there is a tracer.
 */
@NullMarked
package io.github.lockstarter.observe.tracing;

import org.jspecify.annotations.NullMarked;
