/**
 * Locks in Redis as articles print them, each with the flaw that it is known for. None of them is for use. Lettuce is
 * the client; a {@code breakpoint} stands where a process may be stopped or die, and does nothing by itself.
 */
@NullMarked
package io.github.lockstarter.demo.gallery.lock;

import org.jspecify.annotations.NullMarked;
