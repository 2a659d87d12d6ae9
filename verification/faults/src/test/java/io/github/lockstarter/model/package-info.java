/**
 * An explicit-state model of the history guard: every interleaving of two clients, a master, its replica and the
 * messages between them, up to small bounds. {@link io.github.lockstarter.model.Explorer} is independent of locks.
 */
@NullMarked
package io.github.lockstarter.model;

import org.jspecify.annotations.NullMarked;
