/** Micrometer meters of locks. */
@NullMarked
package io.github.lockstarter.observe.meter;

import org.jspecify.annotations.NullMarked;
