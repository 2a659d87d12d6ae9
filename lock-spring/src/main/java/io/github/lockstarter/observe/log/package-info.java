/** Logs the lock client's events. */
@NullMarked
package io.github.lockstarter.observe.log;

import org.jspecify.annotations.NullMarked;
