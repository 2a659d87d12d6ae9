/** Locks around Project Reactor publishers. */
@NullMarked
package io.github.lockstarter.reactive;

import org.jspecify.annotations.NullMarked;
