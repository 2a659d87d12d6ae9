/**
 * Locks on one Redis: keys, Lua scripts, signals and Lettuce connections. Independent of Spring; a {@link
 * io.github.lockstarter.redis.connector.RedisConnector} opens the connections.
 */
@NullMarked
package io.github.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
