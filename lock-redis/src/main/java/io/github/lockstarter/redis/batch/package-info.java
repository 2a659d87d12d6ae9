/** Calls that travel together while others are under way. */
@NullMarked
package io.github.lockstarter.redis.batch;

import org.jspecify.annotations.NullMarked;
