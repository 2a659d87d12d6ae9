/**
 * Redis locks as articles print them, each with its known flaw. Do not use them. A {@code breakpoint} marks a point at
 * which a process may be paused or killed; by default it does nothing.
 */
@NullMarked
package io.github.lockstarter.demo.gallery.lock;

import org.jspecify.annotations.NullMarked;
