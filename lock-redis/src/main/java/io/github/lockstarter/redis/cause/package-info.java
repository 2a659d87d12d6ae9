/**
 * What stands behind an exception of the client. Uses no other package.
 */
@NullMarked
package io.github.lockstarter.redis.cause;

import org.jspecify.annotations.NullMarked;
