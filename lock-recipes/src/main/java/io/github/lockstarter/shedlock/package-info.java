/** ShedLock on the application's locks. Loaded only with ShedLock on the class path. */
@NullMarked
package io.github.lockstarter.shedlock;

import org.jspecify.annotations.NullMarked;
