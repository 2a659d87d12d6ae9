/**
 * An explicit-state model of read/write locks: instances that read and write, the gate and the slots of readers, a
 * server and the replica that may be promoted, in every interleaving up to small bounds.
 *
 * <p>Crash takeover and histories are as their own models have proved them: a lock is taken over only if its instance
 * does not count it as certain, by the master alone, and a hold that is in doubt when the history changes is void.
 */
@NullMarked
package io.github.lockstarter.model.readers;

import org.jspecify.annotations.NullMarked;
