package io.github.lockstarter.spi;

/**
 * One release.
 *
 * @param key the lock's key
 * @param token the owner's token
 * @param fencingToken the fencing token of the hold; 0 for an attempt that was never known to be granted
 */
public record ReleaseCommand(String key, LockToken token, long fencingToken) {}
