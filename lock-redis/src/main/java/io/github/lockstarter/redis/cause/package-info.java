/** Causes of client exceptions. Uses no other package. */
@NullMarked
package io.github.lockstarter.redis.cause;

import org.jspecify.annotations.NullMarked;
