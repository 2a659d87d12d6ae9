/** Heartbeats of this instance, and acknowledged takeovers of other instances' locks. */
@NullMarked
package io.github.lockstarter.redis.takeover;

import org.jspecify.annotations.NullMarked;
