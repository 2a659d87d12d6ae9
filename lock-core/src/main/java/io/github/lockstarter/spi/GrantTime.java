package io.github.lockstarter.spi;

/**
 * When a store granted a lock, by the store's own clock. Only that store can read it: the engine keeps it, and gives it
 * back with the release ({@link ReleaseCommand.Keep}).
 */
public interface GrantTime {}
