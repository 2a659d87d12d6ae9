/** What the fault lab writes down: one line of JSON for each thing that happens, with {@link System#nanoTime()}. */
@NullMarked
package io.github.lockstarter.faults.event;

import org.jspecify.annotations.NullMarked;
