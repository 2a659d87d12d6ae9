/** Opens connections to each topology. */
@NullMarked
package io.github.lockstarter.redis.connector;

import org.jspecify.annotations.NullMarked;
