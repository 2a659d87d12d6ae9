/** Redis servers in every topology, to be paused, killed, restarted, and given another clock. */
@NullMarked
package io.github.lockstarter.kit.redis;

import org.jspecify.annotations.NullMarked;
