/**
 * Who is next: the callers of this JVM that wait, by key. Decides, and does no I/O.
 */
@NullMarked
package io.github.lockstarter.engine.queue;

import org.jspecify.annotations.NullMarked;
