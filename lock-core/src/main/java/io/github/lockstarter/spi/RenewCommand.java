package io.github.lockstarter.spi;

import java.time.Duration;

/**
 * One renewal.
 *
 * @param key key
 * @param token owner's token
 * @param lease minimum lease from now; a longer present one is kept
 * @param fencingToken last fencing token granted to the token
 * @param slot token's slot
 */
public record RenewCommand(String key, LockToken token, Duration lease, long fencingToken, int slot) {}
