package io.github.lockstarter.spi;

import java.time.Duration;

/**
 * One renewal.
 *
 * @param key the lock's key
 * @param token the owner's token
 * @param lease the lease must end no earlier than this from now; an already longer one is left
 * @param fencingToken the last of the fencing tokens that were granted to the token
 * @param slot that the token has
 */
public record RenewCommand(String key, LockToken token, Duration lease, long fencingToken, int slot) {}
