/** Passes events to Spring and to listener beans, on their own threads. */
@NullMarked
package io.github.lockstarter.observe.listener;

import org.jspecify.annotations.NullMarked;
