/**
 * An explicit-state model of crash take-over: one holder with its mailbox, its heartbeats and its renewals, one taker,
 * a server and the replica that may be promoted, in every interleaving up to small bounds.
 */
@NullMarked
package io.github.lockstarter.model.takeover;

import org.jspecify.annotations.NullMarked;
