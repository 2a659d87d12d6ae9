/**
 * Passes events of locks to listener beans, each on a thread of its own, and to Spring.
 */
@NullMarked
package io.github.lockstarter.observe.listener;

import org.jspecify.annotations.NullMarked;
