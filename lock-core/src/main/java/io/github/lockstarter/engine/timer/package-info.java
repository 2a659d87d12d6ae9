/**
 * Time: the deadline of a lease, and the one timer thread.
 */
@NullMarked
package io.github.lockstarter.engine.timer;

import org.jspecify.annotations.NullMarked;
