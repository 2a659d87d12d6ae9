/**
 * How locks are kept in Redis: what is configured, and what messages tell to change.
 */
@NullMarked
package io.github.lockstarter.redis.settings;

import org.jspecify.annotations.NullMarked;
