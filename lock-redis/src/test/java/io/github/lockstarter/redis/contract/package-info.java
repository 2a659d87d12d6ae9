/** The contract suite of {@code lock-core}, bound to Redis in every topology. */
@NullMarked
package io.github.lockstarter.redis.contract;

import org.jspecify.annotations.NullMarked;
