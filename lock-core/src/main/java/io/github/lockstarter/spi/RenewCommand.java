package io.github.lockstarter.spi;

import java.time.Duration;

/**
 * One renewal.
 *
 * @param key the key
 * @param token the owner's token
 * @param lease minimum lease from now; a longer present one is kept
 * @param fencingToken the last fencing token granted to the token
 * @param slot the token's slot
 */
public record RenewCommand(String key, LockToken token, Duration lease, long fencingToken, int slot) {}
