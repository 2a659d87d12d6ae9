/** Meaning and remedies of client exceptions and server errors. */
@NullMarked
package io.github.lockstarter.redis.failure;

import org.jspecify.annotations.NullMarked;
