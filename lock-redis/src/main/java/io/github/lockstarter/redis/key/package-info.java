/**
 * What the keys and channels of a lock are called.
 */
@NullMarked
package io.github.lockstarter.redis.key;

import org.jspecify.annotations.NullMarked;
