/** Locks around work of Project Reactor, for applications that have it. */
@NullMarked
package io.github.lockstarter.reactive;

import org.jspecify.annotations.NullMarked;
