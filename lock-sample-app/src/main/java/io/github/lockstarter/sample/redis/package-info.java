/** Starts Redis if it is not running. Not meant to be copied. */
@NullMarked
package io.github.lockstarter.sample.redis;

import org.jspecify.annotations.NullMarked;
