package io.github.lockstarter.spi;

/**
 * The end of a wait.
 *
 * @param key the lock's key
 * @param token the token of the attempt under way, which may have been granted meanwhile; a new one if there is none
 */
public record WithdrawCommand(String key, LockToken token) {}
