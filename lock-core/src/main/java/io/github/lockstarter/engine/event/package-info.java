/**
 * What listeners and callbacks of the application are told, on threads that may block.
 */
@NullMarked
package io.github.lockstarter.engine.event;

import org.jspecify.annotations.NullMarked;
