/** Auto-configuration of fences. */
@NullMarked
package io.github.lockstarter.autoconfigure.fence;

import org.jspecify.annotations.NullMarked;
