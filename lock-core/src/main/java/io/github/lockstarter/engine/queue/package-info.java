/**
 * The callers of this JVM that wait, by key: decides which is next, and does no I/O.
 */
@NullMarked
package io.github.lockstarter.engine.queue;

import org.jspecify.annotations.NullMarked;
