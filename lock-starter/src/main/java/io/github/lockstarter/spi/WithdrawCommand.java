package io.github.lockstarter.spi;

/**
 * The end of a wait.
 *
 * @param key the lock's key
 * @param token the token of the last attempt, which may have been granted meanwhile
 */
public record WithdrawCommand(String key, LockToken token) {}
