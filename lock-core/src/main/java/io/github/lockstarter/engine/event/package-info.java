/**
 * Calls listeners and callbacks of the application.
 */
@NullMarked
package io.github.lockstarter.engine.event;

import org.jspecify.annotations.NullMarked;
