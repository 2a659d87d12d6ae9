/** ShedLock locks held as locks of this project; loaded only with ShedLock on the class path. */
@NullMarked
package io.github.lockstarter.shedlock;

import org.jspecify.annotations.NullMarked;
