package io.github.lockstarter;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** Two {@link JdkLockAdapter}s of the same key. */
record JdkReadWriteLock(Lock readLock, Lock writeLock) implements ReadWriteLock {}
