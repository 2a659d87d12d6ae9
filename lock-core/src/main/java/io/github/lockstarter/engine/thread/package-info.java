/**
 * The threads of the engine, and what protects them: from exceptions of foreign code, and from a stack at its end.
 */
@NullMarked
package io.github.lockstarter.engine.thread;

import org.jspecify.annotations.NullMarked;
