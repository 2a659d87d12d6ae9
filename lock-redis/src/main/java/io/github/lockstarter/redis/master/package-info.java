/**
 * Finds the master among several servers, by asking them or their sentinels.
 */
@NullMarked
package io.github.lockstarter.redis.master;

import org.jspecify.annotations.NullMarked;
