/**
 * What the exceptions of the client and the errors of a server mean for a lock, and what to do about them.
 */
@NullMarked
package io.github.lockstarter.redis.failure;

import org.jspecify.annotations.NullMarked;
