/** Finds the master among several servers, directly or through sentinels. */
@NullMarked
package io.github.lockstarter.redis.master;

import org.jspecify.annotations.NullMarked;
