/** The event log of programs that use locks: one line of JSON for each event. */
@NullMarked
package io.github.lockstarter.kit.event;

import org.jspecify.annotations.NullMarked;
