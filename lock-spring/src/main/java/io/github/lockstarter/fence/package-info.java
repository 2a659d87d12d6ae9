/** Fencing: the protected database or Redis rejects a holder that has lost its lock. */
@NullMarked
package io.github.lockstarter.fence;

import org.jspecify.annotations.NullMarked;
