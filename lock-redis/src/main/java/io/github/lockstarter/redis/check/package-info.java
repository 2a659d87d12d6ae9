/**
 * Whether a server can keep locks: at the start, and when an operator asks.
 */
@NullMarked
package io.github.lockstarter.redis.check;

import org.jspecify.annotations.NullMarked;
