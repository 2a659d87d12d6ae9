/** Settings for locks in Redis, and the property names in messages. */
@NullMarked
package io.github.lockstarter.redis.settings;

import org.jspecify.annotations.NullMarked;
