/** The port that a lock backend implements: asynchronous, with sealed results in place of exceptions. */
@NullMarked
package io.github.lockstarter.spi;

import org.jspecify.annotations.NullMarked;
