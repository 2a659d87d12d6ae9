/**
 * Counts and times locks for Micrometer.
 */
@NullMarked
package io.github.lockstarter.observe.meter;

import org.jspecify.annotations.NullMarked;
