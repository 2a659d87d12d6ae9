/** Locks of ShedLock, held as locks of this project; loaded only where ShedLock is there. */
@NullMarked
package io.github.lockstarter.shedlock;

import org.jspecify.annotations.NullMarked;
