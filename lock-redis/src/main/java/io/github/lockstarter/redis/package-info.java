/**
 * Locks on one Redis: keys, Lua scripts, signals, and the Lettuce connections they travel on. Knows no Spring; the
 * connections are opened by a {@link io.github.lockstarter.redis.connector.RedisConnector}.
 */
@NullMarked
package io.github.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
