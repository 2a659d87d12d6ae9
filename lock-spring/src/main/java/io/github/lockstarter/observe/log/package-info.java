/** The log of the lock client. */
@NullMarked
package io.github.lockstarter.observe.log;

import org.jspecify.annotations.NullMarked;
