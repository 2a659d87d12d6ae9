/** Real Redis servers in every topology that can be paused, killed, restarted, and given another clock. */
@NullMarked
package io.github.lockstarter.kit.redis;

import org.jspecify.annotations.NullMarked;
