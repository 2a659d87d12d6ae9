/**
 * Whether the store hears this instance, and which locks are therefore certainly held: the holder's side of crash
 * take-over (docs/internals/crash-take-over.md).
 */
@NullMarked
package io.github.lockstarter.engine.heartbeat;

import org.jspecify.annotations.NullMarked;
