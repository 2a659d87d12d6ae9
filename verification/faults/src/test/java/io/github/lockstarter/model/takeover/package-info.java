/**
 * An explicit-state model of crash takeover: an instance with one or two locks, its heartbeat and its commands,
 * takers, a server and the replica that may be promoted, in every interleaving up to small bounds.
 */
@NullMarked
package io.github.lockstarter.model.takeover;

import org.jspecify.annotations.NullMarked;
