/** Names of the keys and channels of a lock. */
@NullMarked
package io.github.lockstarter.redis.key;

import org.jspecify.annotations.NullMarked;
