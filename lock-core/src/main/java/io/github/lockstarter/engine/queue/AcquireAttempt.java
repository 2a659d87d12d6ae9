package io.github.lockstarter.engine.queue;

import io.github.lockstarter.spi.LockToken;

/**
 * One command that tries to get the lock for an acquisition.
 *
 * @param acquisition for whom
 * @param token unique to this attempt; may name its owner
 * @param position position among the waiting instances, as far as known
 * @param fencingTokens how many fencing tokens to ask for
 */
public record AcquireAttempt(Acquisition acquisition, LockToken token, long position, int fencingTokens) {}
