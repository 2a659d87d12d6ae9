/**
 * What protects the threads of the engine: from exceptions of foreign code, and from a stack at its end.
 */
@NullMarked
package io.github.lockstarter.engine.thread;

import org.jspecify.annotations.NullMarked;
