package io.github.lockstarter.redis.script;

import io.github.lockstarter.spi.GrantTime;

/**
 * When a server granted a lock, by its clock.
 *
 * @param micros in microseconds since 1970
 */
record RedisGrantTime(long micros) implements GrantTime {}
