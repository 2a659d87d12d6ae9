/**
 * The contract suite of {@code lock-core}, bound to Redis and Redlock in every topology.
 */
@NullMarked
package io.github.lockstarter.redis.contract;

import org.jspecify.annotations.NullMarked;
