package io.github.lockstarter.etcd;

import io.github.lockstarter.spi.GrantTime;

/**
 * When the answer with a grant came, by the monotonic clock of this JVM: no earlier than the grant, since etcd has no
 * clock that clients can read.
 *
 * @param nanos as {@link System#nanoTime()}
 */
record EtcdGrantTime(long nanos) implements GrantTime {}
