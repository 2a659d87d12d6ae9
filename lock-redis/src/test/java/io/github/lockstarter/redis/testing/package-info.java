/**
 * Real Redis servers in every topology that can be paused, killed and restarted, and a proxy that loses requests and
 * replies.
 */
@NullMarked
package io.github.lockstarter.redis.testing;

import org.jspecify.annotations.NullMarked;
